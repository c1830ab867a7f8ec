//===- CslLayoutOps.td - Placement, host -------------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLLAYOUTOPS
#define SEQUIN_DIALECT_CSL_IR_CSLLAYOUTOPS

include "sequin/Dialect/Csl/IR/CslOpBase.td"

def Csl_LayoutOp : Csl_Op<"layout", [NoTerminator, SingleBlock,
    NoRegionArguments]> {
  let summary = "The rectangle of PEs";
  let description = [{
    CSL's layout block: @set_rectangle, with the fabric around it where the
    compiler was told. Every PE of the rectangle has one `csl.tile_code`.

    ```mlir
    csl.layout 4 x 4 fabric 11 x 6 at 4, 1 {
      csl.tile_code @pe at <0 to 4, 0 to 4>
      csl.color_config 3 at <0, 0 to 4> routes <rx [RAMP] tx [EAST]>
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$width,
                       ConfinedAttr<I64Attr, [IntPositive]>:$height,
                       OptionalAttr<I64Attr>:$fabric_width,
                       OptionalAttr<I64Attr>:$fabric_height,
                       OptionalAttr<I64Attr>:$offset_x,
                       OptionalAttr<I64Attr>:$offset_y);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $width `x` $height
    (`fabric` $fabric_width^ `x` $fabric_height `at` $offset_x `,` $offset_y)?
    $body attr-dict-with-keyword
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

class Csl_InLayoutOp<string mnemonic, list<Trait> traits = []>
    : Csl_Op<mnemonic, !listconcat([HasParent<"LayoutOp">], traits)>;

def Csl_TileCodeOp : Csl_InLayoutOp<"tile_code",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The program of some PEs and its parameters";
  let description = [{
    @set_tile_code for every PE of a region. A parameter's value is one value,
    an affine map of the PE's coordinates, or an array of one value per PE, of
    `height x width` of the region.

    ```mlir
    csl.tile_code @pe at <0 to 4, 0 to 2> params {
      size = 16 : i16, x = affine_map<(x, y) -> (x)>,
      weight = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>}
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$program, Csl_RegionAttr:$region,
                       OptionalAttr<DictionaryAttr>:$params);
  let assemblyFormat = [{
    $program `at` $region (`params` $params^)? attr-dict
  }];
}

def Csl_ColorConfigOp : Csl_InLayoutOp<"color_config"> {
  let summary = "Routes, switches, filter and teardown of a color";
  let description = [{
    @set_color_config for every PE of a region. A color has one configuration
    per PE.

    ```mlir
    csl.color_config 3 at <0 to 4, 0> routes <rx [WEST] tx [RAMP, EAST]>
      switches <pos1 = #csl.position<tx [RAMP]>, ring = true>
      filter <kind = counter, count_data = true, limit1 = 4> teardown
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$color,
                       Csl_RegionAttr:$region, Csl_RoutesAttr:$routes,
                       OptionalAttr<Csl_SwitchesAttr>:$switches,
                       OptionalAttr<Csl_FilterAttr>:$filter,
                       UnitAttr:$teardown);
  let assemblyFormat = [{
    $color `at` $region `routes` $routes (`switches` $switches^)?
    (`filter` $filter^)? (`teardown` $teardown^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_ExportNameOp : Csl_InLayoutOp<"export_name"> {
  let summary = "A name that the host may use";
  let description = [{
    @export_name. Data has the type of one value (a pointer, a number, an id, a
    direction, a DSD) and says whether the host may write it; a function has a
    function type with parts of such types. `unsigned` is about the
    integers of the type.

    ```mlir
    csl.export_name "A" : !csl.ptr<many f32> mutable
    csl.export_name "compute" : (i16, f32) -> ()
    ```
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$is_unsigned, TypeAttr:$type,
                       UnitAttr:$is_mutable);
  let assemblyFormat = [{
    $name (`unsigned` $is_unsigned^)? `:` $type (`mutable` $is_mutable^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_StreamOp : Csl_InLayoutOp<"stream"> {
  let summary = "A color whose other end is the host";
  let description = [{
    Without a place: a streaming color of memcpy, on which the host reaches
    every PE's RAMP; the program configures no routes for it. With one: the link
    of an edge PE that leads to the host.

    ```mlir
    csl.stream "in" color 5 to_device
    csl.stream "rx" color 6 to_host at 3, 0 EAST
    ```
  }];
  let arguments = (ins StrAttr:$name,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$color,
                       Csl_StreamDirection:$direction,
                       OptionalAttr<I64Attr>:$x, OptionalAttr<I64Attr>:$y,
                       OptionalAttr<Csl_Direction>:$side);
  let assemblyFormat = [{
    $name `color` $color $direction (`at` $x^ `,` $y $side)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // SEQUIN_DIALECT_CSL_IR_CSLLAYOUTOPS
