//===- ParserTest.cpp - Trees and errors of kernel source -----------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parsed.h"

using namespace sequin;
using namespace sequin::visa_source;
using llvm::cast;
using llvm::dyn_cast;
using llvm::StringRef;
using sequin::testing::Parsed;
using sequin::testing::readInput;

namespace {

/// The value of the first item, a constant, on one line.
std::string value(StringRef text) {
  Parsed parsed(("const X: u8 = " + text + ";").str());
  EXPECT_EQ(parsed.errors(), "");
  const auto *item = dyn_cast<ConstItem>(parsed.file->items.front());
  return item ? toString(*item->value) : "";
}

/// The tree of the value, one line per node without its indentation.
std::string shape(StringRef text) {
  Parsed parsed(("const X: u8 = " + text + ";").str());
  EXPECT_EQ(parsed.errors(), "");
  std::string result;
  std::function<void(const Node &)> visit = [&](const Node &node) {
    if (groupOf(node.kind()) == NodeGroup::Expr) {
      result += "(";
      if (const auto *binary = dyn_cast<BinaryExpr>(&node))
        result += spelling(binary->op);
      else if (const auto *name = dyn_cast<PathExpr>(&node))
        result += toString(*name->path);
      else
        result += stringify(node.kind()).drop_back(4);
    }
    forEachChild(node, visit);
    if (groupOf(node.kind()) == NodeGroup::Expr)
      result += ")";
  };
  visit(*cast<ConstItem>(parsed.file->items.front())->value);
  return result;
}

/// The messages, one a line with its line and column.
std::string errors(StringRef text) {
  Parsed parsed(text);
  std::string result;
  for (const Diagnostic &d : parsed.diagnostics.all()) {
    LineColumn place = parsed.sources.lineColumn(d.loc);
    result += std::to_string(place.line) + ":" + std::to_string(place.column) +
              " " + d.message + "\n";
  }
  EXPECT_EQ(parsed.file->hadErrors, !result.empty());
  return result;
}

TEST(VisaParser, Precedence) {
  EXPECT_EQ(shape("a + b * c"), "(+(a)(*(b)(c)))");
  EXPECT_EQ(shape("a * b + c"), "(+(*(a)(b))(c))");
  EXPECT_EQ(shape("a - b - c"), "(-(-(a)(b))(c))");
  EXPECT_EQ(shape("a << b + c & d"), "(&(<<(a)(+(b)(c)))(d))");
  EXPECT_EQ(shape("a || b && c == d | e ^ f & g"),
            "(||(a)(&&(b)(==(c)(|(d)(^(e)(&(f)(g)))))))");
  EXPECT_EQ(shape("-a as u8 * b"), "(*(Cast(Unary(a)))(b))");
  EXPECT_EQ(shape("a..b + c"), "(Range(a)(+(b)(c)))");
  EXPECT_EQ(shape("-a.b()"), "(Unary(Method(a)))");
}

TEST(VisaParser, HeadsOfBodies) {
  EXPECT_EQ(value("if a == B { c } else { d }"), "if a == B { c } else { d }");
  EXPECT_EQ(value("if (S { a: 1 }) == b {}"), "if (S { a: 1 }) == b {}");
  EXPECT_EQ(value("for i in 0..N {}"), "for i in 0..N {}");
  EXPECT_EQ(value("match a { B { c } => d, }"), "match a { B { c } => d, }");
}

TEST(VisaParser, GenericsClose) {
  EXPECT_EQ(value("f::<Vec<Vec<u8>>>()"), "f::<Vec<Vec<u8>>>()");
  EXPECT_EQ(value("f::<<T as M>::X, 3, -1, { N + 1 }, 'a, I = u8>()"),
            "f::<<T as M>::X, 3, -1, { N + 1 }, 'a, I = u8>()");
  EXPECT_EQ(errors("type A<T>= Vec<Vec<T>>;"), "");
}

TEST(VisaParser, Mappings) {
  EXPECT_EQ(value("<m![A / 2 % 4 # 8, [B, C], { T }, 1 #{!} 4]>::SIZE"),
            "<m![A / 2 % 4 # 8, [B, C], { T }, 1 #{!} 4]>::SIZE");
  Parsed parsed("type X = m![A / 2 % 4];");
  const auto *type = cast<TypeItem>(parsed.file->items.front());
  const auto *outer = cast<MapOp>(cast<MappingType>(type->type)->mapping);
  // Operators bind from left to right.
  EXPECT_EQ(outer->op, MappingOp::Modulo);
  EXPECT_EQ(cast<MapOp>(outer->left)->op, MappingOp::Stride);
  EXPECT_EQ(cast<IntLiteral>(outer->amount)->value, 4u);
  EXPECT_EQ(cast<MapAxis>(cast<MapOp>(outer->left)->left)->name.text, "A");
}

TEST(VisaParser, Attributes) {
  Parsed parsed("#[device(chip = 4)] #[should_panic(expected = \"a\\\"b\")]\n"
                "#[tokio::test] fn f() {}");
  EXPECT_EQ(parsed.errors(), "");
  List<Attribute> list = headOf(*parsed.file->items.front()).attributes;
  const Attribute *device = findAttribute(list, "device");
  ASSERT_TRUE(device);
  ASSERT_EQ(device->args.size(), 1u);
  EXPECT_EQ(toString(*device->args.front()->path), "chip");
  EXPECT_EQ(cast<IntLiteral>(device->args.front()->value)->value, 4u);
  const Attribute *panic = findAttribute(list, "should_panic");
  EXPECT_EQ(cast<StringLiteral>(panic->args.front()->value)->bytes, "a\"b");
  EXPECT_TRUE(findAttribute(list, "tokio::test"));
  EXPECT_FALSE(findAttribute(list, "test"));
}

TEST(VisaParser, Spans) {
  StringRef text = "#[a]\npub fn f(x: u8) -> u8 { x.g::<u8>(1) }\n";
  Parsed parsed(text);
  const auto *fn = cast<FnItem>(parsed.file->items.front());
  EXPECT_EQ(SourceManager::textOf(fn->span()), text.rtrim());
  EXPECT_EQ(SourceManager::textOf(fn->params.front()->span()), "x: u8");
  EXPECT_EQ(SourceManager::textOf(fn->body->tail->span()), "x.g::<u8>(1)");
  EXPECT_EQ(SourceManager::textOf(fn->body->span()), "{ x.g::<u8>(1) }");
}

TEST(VisaParser, NumbersAreDense) {
  Parsed parsed(readInput("forms.rs"));
  EXPECT_EQ(parsed.errors(), "");
  std::vector<unsigned> seen(parsed.context.numNodes());
  std::function<void(const Node &)> visit = [&](const Node &node) {
    ++seen[node.id()];
    unsigned height = 0;
    forEachChild(node, [&](const Node &child) {
      height = std::max(height, child.height());
      visit(child);
    });
    EXPECT_EQ(node.height(), height + 1);
  };
  for (const Attribute *attribute : parsed.file->attributes)
    visit(*attribute);
  for (const Item *item : parsed.file->items)
    visit(*item);
  // A trait's path is also the type that it was read as.
  for (unsigned times : seen)
    EXPECT_LE(times, 2u);
}

TEST(VisaParser, EveryFormOfNode) {
  std::vector<bool> seen(256);
  Parsed parsed(readInput("forms.rs"));
  std::function<void(const Node &)> visit = [&](const Node &node) {
    seen[unsigned(node.kind())] = true;
    forEachChild(node, visit);
  };
  for (const Item *item : parsed.file->items)
    visit(*item);
#define VISA_NODE(CLASS, GROUP)                                                \
  if (!StringRef(#CLASS).starts_with("Error"))                                 \
    EXPECT_TRUE(seen[unsigned(NodeKind::CLASS)]) << #CLASS;
#include "sequin/VisaSource/Nodes.def"
}

TEST(VisaParser, SeveralErrors) {
  EXPECT_EQ(errors("fn f() {\n"
                   "    let = 1;\n"
                   "    a.b(1 2).c();\n"
                   "    let x: m![A /] = 3;\n"
                   "    x + ;\n"
                   "    y\n"
                   "    let z = 1;\n"
                   "}\n"
                   "const A = 3;\n"
                   "fn g() {}\n"),
            "2:9 expected a pattern, found '='\n"
            "3:11 expected ',' or ')' in the arguments of method 'b', found "
            "number 2\n"
            "4:18 expected a number, or a constant in braces, behind an "
            "operator of a mapping, found ']'\n"
            "5:9 expected an expression, found ';'\n"
            "7:5 expected ';' or '}' behind an expression, found 'let'\n"
            "9:9 expected ':' and a type after the name of a constant, found "
            "'='\n");
}

TEST(VisaParser, MissingBrackets) {
  EXPECT_EQ(errors("fn f() {\n    a(1, 2;\n    b();\n}\n"),
            "2:11 expected ',' or ')' in the arguments of a call, found ';'\n");
  EXPECT_EQ(errors("fn f() {\n    a();\n\nfn g() {}\n"),
            "5:1 expected '}' at the end of the body of a function, found the "
            "end of the file\n");
  EXPECT_EQ(errors("fn f() {}\n}\nconst X: = 1;\n"),
            "2:1 expected an item, found '}'\n"
            "3:10 expected a type, found '='\n");
}

TEST(VisaParser, BeyondTheLanguage) {
  auto refused = [](StringRef text, StringRef what) {
    EXPECT_TRUE(
        StringRef(errors(text))
            .ends_with(
                (what + " is not part of the language of kernels\n").str()))
        << errors(text);
    EXPECT_EQ(StringRef(errors(text)).count('\n'), 1u) << errors(text);
  };
  refused("trait T { fn f(&self); type X: Y; }\nfn g() {}", "'trait'");
  refused("union U { a: u8, b: u16 }", "'union'");
  refused("static X: u8 = 1;", "'static'");
  refused("extern \"C\" { fn f(); }", "'extern'");
  refused("pub extern \"C\" fn f() {}", "'extern'");
  refused("unsafe impl Send for X {}", "'unsafe impl'");
  refused("impl !Send for X {}", "a negative impl");
  refused("pub(in a::b) fn f() {}", "'pub(in ...)'");
  refused("fn f() { let x: Box<dyn T> = y; }", "a type with 'dyn'");
  refused("fn f(x: *const u8) {}", "a raw pointer");
  refused("fn f() { g()?; h() }", "operator '?'");
  refused("fn f() { 'a: loop { break; } }", "a label");
  refused("fn f() { loop { break 'a; } }", "a label");
  refused("fn f() { let g = async |x| x; }", "an 'async' closure");
  refused("fn f<F>() where for<'a> F: Fn(&'a u8) {}", "a type with 'for'");
  refused("fn f<F: for<'a> Fn(&'a u8)>() {}", "a bound with 'for'");
  refused("fn f() { let x: vec![u8] = 1; }", "macro 'vec!' as a type");
  refused("fn f() { let m!() = 1; }", "a macro as a pattern");
  refused("fn f(#[a] x: u8) {}", "an attribute of a parameter");
  EXPECT_EQ(errors("impl X { fn f(&self); }\nfn g() {}"),
            "1:21 function 'f' has no body\n");
  EXPECT_EQ(errors("const X: usize = m![A]::SIZE;"),
            "1:18 'm!' is a type, its members are written "
            "'<m![...]>::SIZE'\n");
  EXPECT_EQ(errors("const X: u64 = 0x1_0000_0000_0000_0000;"),
            "1:16 number 0x1_0000_0000_0000_0000 takes more than 64 bits\n");
  EXPECT_EQ(errors("fn f() { a < b < c }"),
            "1:16 comparisons cannot be chained, use parentheses\n");
}

} // namespace
