// RUN: sequin-visa --syntax-only --split-input-file --verify-diagnostics %s

fn statements() {
    let = 1; // expected-error {{expected a pattern, found '='}}
    a.b(1 2).c(); // expected-error {{expected ',' or ')' in the arguments of method 'b', found number 2}}
    let x: m![A /] = 3; // expected-error {{expected a number, or a constant in braces, behind an operator of a mapping, found ']'}}
    let y = m![A]::SIZE; // expected-error {{'m!' is a type, its members are written '<m![...]>::SIZE'}}
    a < b < c; // expected-error {{comparisons cannot be chained, use parentheses}}
    f(1
}
// expected-error@-1 {{expected ',' or ')' in the arguments of a call, found '}'}}
// -----
trait Shape { // expected-error {{'trait' is not part of the language of kernels}}
    fn area(&self) -> f32;
}
static COUNT: u64 = 0; // expected-error {{'static' is not part of the language of kernels}}
impl Shape for Square {
    fn area(&self) -> f32; // expected-error {{function 'area' has no body}}
}
fn boxed(x: Box<dyn Shape>) {} // expected-error {{a type with 'dyn' is not part of the language of kernels}}
fn tried() {
    work()?; // expected-error {{operator '?' is not part of the language of kernels}}
    'outer: loop {} // expected-error {{a label is not part of the language of kernels}}
}
// -----
fn open() {
    if a { // expected-note {{to match this '{'}}
// expected-error@+1 {{expected '}' at the end of the body of an if, found the end of the file}}
