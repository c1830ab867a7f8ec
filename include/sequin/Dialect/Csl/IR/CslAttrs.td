//===- CslAttrs.td - Attributes of the csl dialect ---------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLATTRS
#define SEQUIN_DIALECT_CSL_IR_CSLATTRS

include "sequin/Dialect/Csl/IR/CslEnums.td"
include "mlir/IR/AttrTypeBase.td"

class Csl_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<CslDialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Csl_TargetAttr : Csl_Attr<"Target", "target"> {
  let summary = "The machine a module is for";
  let description = [{
    A row of the machine tables, the 16-bit float format (`--fp16-format`) and
    whether the memcpy library is linked in, which then owns some ids.

    ```mlir
    module attributes {csl.target = #csl.target<"wse3", fp16 = bf16>} { ... }
    ```
  }];
  let parameters = (ins StringRefParameter<"machine name">:$machine,
      DefaultValuedParameter<"::sequin::csl::Fp16",
                             "::sequin::csl::Fp16::F16">:$fp16,
      DefaultValuedParameter<"bool", "false">:$memcpy);
  let assemblyFormat = [{
    `<` $machine (`,` struct($fp16, $memcpy)^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The machine table's row; never null on a verified attribute.
    const ::sequin::CslMachine *getRow() const;
    /// The MLIR type of `@fp16()`.
    ::mlir::Type getFp16Type() const;
  }];
}

def Csl_RegionAttr : Csl_Attr<"Region", "region"> {
  let summary = "PEs in a rectangle, or every so many of them";
  let description = [{
    `#csl.region<0 to 4, 1>`: x, then y; one coordinate, or a range without its
    end, with `step`. Coordinates are those of the program's rectangle.

    ```mlir
    #csl.region<0 to 8 step 2, 0 to 4>
    ```
  }];
  let parameters = (ins "int64_t":$xBegin, "int64_t":$xEnd, "int64_t":$xStep,
                        "int64_t":$yBegin, "int64_t":$yEnd, "int64_t":$yStep);
  let assemblyFormat = [{
    `<` custom<Range>($xBegin, $xEnd, $xStep) `,`
    custom<Range>($yBegin, $yEnd, $yStep) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getWidth() const {
      return (getXEnd() - getXBegin() + getXStep() - 1) / getXStep();
    }
    int64_t getHeight() const {
      return (getYEnd() - getYBegin() + getYStep() - 1) / getYStep();
    }
    bool contains(int64_t x, int64_t y) const;
    /// Calls `visit` with every PE, row by row.
    void forEach(::llvm::function_ref<void(int64_t, int64_t)> visit) const;
  }];
}

def Csl_RoutesAttr : Csl_Attr<"Routes", "routes"> {
  let summary = "Where a color comes from and goes to";
  let description = [{
    Directions as sets; color swap exists on WSE-2 (FAB-072). Either list may be
    missing, and both: `.routes = .{}`. The manual's 10-bit vector means the
    same.

    ```mlir
    #csl.routes<rx [WEST] tx [RAMP, EAST]>
    #csl.routes<577>                        // 0x241: the same
    #csl.routes<rx [EAST] tx [WEST] swap_x>
    ```
  }];
  let parameters = (ins "uint32_t":$rx, "uint32_t":$tx, "bool":$swapX,
                        "bool":$swapY);
  let assemblyFormat = [{
    `<` custom<Routes>($rx, $tx, $swapX, $swapY) `>`
  }];
  let genVerifyDecl = 1;
}

def Csl_PositionAttr : Csl_Attr<"Position", "position"> {
  let summary = "A switch position";
  let description = [{
    The side that a position gives; the other is that of the position before it
    (FAB-022, FAB-024). Both sides are a WSE-3 feature (AMB-015).

    ```mlir
    #csl.position<rx WEST>
    #csl.position<tx [EAST, NORTH]>
    ```
  }];
  let parameters = (ins "std::optional<uint32_t>":$rx,
                        "std::optional<uint32_t>":$tx);
  let assemblyFormat = "`<` custom<Position>($rx, $tx) `>`";
  let genVerifyDecl = 1;
}

def Csl_SwitchesAttr : Csl_Attr<"Switches", "switches"> {
  let summary = "Further positions of a color and how they change";
  let description = [{
    Positions that are not given are invalid: they are never advanced to.
    Position 0 is the routes.

    ```mlir
    #csl.switches<pos1 = #csl.position<rx WEST>, current = 1, ring = true,
                  pop = always_pop>
    ```
  }];
  let parameters = (ins
      OptionalParameter<"::sequin::csl::PositionAttr">:$pos1,
      OptionalParameter<"::sequin::csl::PositionAttr">:$pos2,
      OptionalParameter<"::sequin::csl::PositionAttr">:$pos3,
      DefaultValuedParameter<"int64_t", "0">:$current,
      DefaultValuedParameter<"bool", "false">:$ring,
      DefaultValuedParameter<"::sequin::csl::PopMode",
                             "::sequin::csl::PopMode::NoPop">:$pop);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Csl_FilterAttr : Csl_Attr<"Filter", "filter"> {
  let summary = "What of a color's wavelets reaches the compute element";
  let description = [{
    The fields of each kind are the manual's (@set_color_config, Filter
    Configuration Semantics); one that the kind does not have is refused.

    ```mlir
    #csl.filter<kind = counter, count_data = true, limit1 = 14, max_counter = 1>
    #csl.filter<kind = range, min_idx = 3, max_idx = 5>
    ```
  }];
  let parameters = (ins "::sequin::csl::FilterKind":$kind,
      DefaultValuedParameter<"bool", "false">:$count_data,
      DefaultValuedParameter<"bool", "false">:$count_control,
      DefaultValuedParameter<"bool", "false">:$filter_control,
      OptionalParameter<"std::optional<int64_t>">:$init_counter,
      OptionalParameter<"std::optional<int64_t>">:$limit1,
      OptionalParameter<"std::optional<int64_t>">:$limit2,
      OptionalParameter<"std::optional<int64_t>">:$max_counter,
      OptionalParameter<"std::optional<int64_t>">:$min_idx,
      OptionalParameter<"std::optional<int64_t>">:$max_idx);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Csl_AccessAttr : Csl_Attr<"Access", "access"> {
  let summary = "A tensor access expression";
  let description = [{
    CSL's `|i, j|{2, 3} -> A[i + 1, 2 * j]` without the array, which is the
    operand: one affine expression per array dimension, in as many variables as
    there are lengths, outermost first (DSD-013 to DSD-018).

    ```mlir
    #csl.access<(i, j) -> (i + 1, j * 2), [2, 3]>
    ```
  }];
  let parameters = (ins "::mlir::AffineMap":$map,
                        ArrayRefParameter<"int64_t">:$extents);
  let assemblyFormat = "`<` $map `,` `[` $extents `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The descriptor over a row-major array of `shape`.
    ::llvm::Expected<::sequin::MemDsd>
    lower(::llvm::ArrayRef<int64_t> shape, ::sequin::DsdKind kind) const;
  }];
}

def Csl_DistributionAttr : Csl_Attr<"Distribution", "distribution"> {
  let summary = "How an array is spread over the PEs";
  let description = [{
    Of a whole tensor, in the attribute `csl.distribution` of the
    `csl.export_name` under which its blocks are exported: per dimension the
    size, and where it is cut the axis and the block of a PE; the coordinate of
    element 0, elements before the block in the local array, and the length of
    that array. `order` is the order in memory, outermost first.

    ```mlir
    #csl.distribution<[56 on y by 14, 56 on x by 14]>
    #csl.distribution<[30 on x by 8 from 1 at 1 of 10, 128], order [1, 0]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"int64_t">:$axes,
                        ArrayRefParameter<"int64_t">:$blocks,
                        ArrayRefParameter<"int64_t">:$origins,
                        ArrayRefParameter<"int64_t">:$lows,
                        ArrayRefParameter<"int64_t">:$extents,
                        ArrayRefParameter<"int64_t">:$order);
  let assemblyFormat = [{
    `<` custom<Distribution>($sizes, $axes, $blocks, $origins, $lows, $extents,
                             $order) `>`
  }];
  let builders = [AttrBuilder<(ins
      "const ::sequin::Distribution &":$distribution)>];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::sequin::Distribution getDistribution() const;
  }];
}

def Csl_EntryAttr : Csl_Attr<"Entry", "entry"> {
  let summary = "What a host calls on whole arrays";
  let description = [{
    The attribute `csl.entry` of a module that was a function on tensors: the
    exported function that the host launches on all PEs, and the exported arrays
    of its arguments and results. Their `csl.export_name`s say how they are
    distributed, and the layout how large the grid is.

    ```mlir
    module attributes {csl.entry = #csl.entry<"main" ("A", "B") -> ("C")>}
    ```
  }];
  let parameters = (ins StringRefParameter<"exported function">:$function,
      ArrayRefParameter<"::mlir::StringAttr">:$arguments,
      ArrayRefParameter<"::mlir::StringAttr">:$results);
  let assemblyFormat = [{
    `<` $function custom<Names>($arguments) `->` custom<Names>($results) `>`
  }];
}

#endif // SEQUIN_DIALECT_CSL_IR_CSLATTRS
