"""Makes the two fonts of the PNG charts: Inter, cut to Latin and the signs of figures, digits of equal width.

Usage: python subset.py FOLDER_WITH_INTER_OTF   (needs fonttools)
"""
import sys
from pathlib import Path
from fontTools import subset
from fontTools.ttLib import TTFont

TEXT = [*range(0x20, 0x7F), *range(0xA0, 0x180), *map(ord, "–—‘’“”•…€™−×≥≤½¼¾→▲▼")]

for name in ("Inter-Regular", "Inter-SemiBold"):
    font = TTFont(Path(sys.argv[1]) / f"{name}.otf", recalcTimestamp=False)
    features = font["GSUB"].table
    tabular = {}
    for record in features.FeatureList.FeatureRecord:
        if record.FeatureTag == "tnum":
            for index in record.Feature.LookupListIndex:
                for table in features.LookupList.Lookup[index].SubTable:
                    tabular.update(getattr(table, "ExtSubTable", table).mapping)
    for table in font["cmap"].tables:
        for sign in map(ord, "0123456789"):
            glyph = table.cmap.get(sign)
            if glyph in tabular:
                table.cmap[sign] = tabular[glyph]
    options = subset.Options(hinting=False, desubroutinize=True, notdef_outline=True)
    options.name_IDs = ["*"]
    options.layout_features = ["kern", "mark", "ccmp"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=TEXT)
    cutter.subset(font)
    font.save(Path(__file__).parent / f"{name}.otf")
