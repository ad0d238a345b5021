"""What the reference tokenizer and numpy answer, for the tests of the Rust side.

    python cases.py --table periplus-embed.bin --out cases.json

Each case is a text, the ids of its tokens, and the first numbers of its unit vector. To be run whenever the table
changes.
"""

import argparse
import json

import artifact
import bags

NUMBERS = 4
TEXTS = [
    "",
    " \t\r\n ",
    "How many singers do we have?",
    "Show the name and the release year of the song by the youngest singer.",
    "customer orders: order id, customer id, total amount, created at",
    "t cst mst",
    "qty, amt1, trx_dt",
    "What's the store's average (net) revenue/month in 2019-2021?",
    "don't stop!!! ... $5.00 + 10% = ~£4 ^ `x` | <y>",
    "unaffable internationalization electroencephalographically",
    "invoices datasets timestamps username lookup metadata",
    "Crème brûlée à la façon de Zoë, naïve coöperation, Ångström, Škoda, Łódź",
    "STRASSE Straße ẞ İstanbul ΑΘΉΝΑΣ ΣΊΣΥΦΟΣ Привет МИР ё й",
    "東京の人口は? 数据库 查询 한국어 데이터베이스 カタカナ ひらがな",
    "हिन्दी भाषा ไทย العربية עברית தமிழ்",
    "émigré combining e\u0301 a\u0300",
    "zero\u200bwidth joiner\u200d soft\u00adhyphen \ufeffbom",
    "no\u00a0break\u2003em\u3000ideographic\u2028line\u2029paragraph",
    "bell\u0007 vertical\u000btab form\u000cfeed next\u0085line nul\u0000byte \ufffd",
    "private \ue000use \U000f0000",
    "smile 😀 flags 🇩🇪 family 👩‍👩‍👧 ™ © ½ № ﬁne ａｂｃ １２３",
    "quotes “curly” ‘single’ «guillemets» – en — em … ellipsis ¿qué? ¡hola!",
    "、。「」！（）：；？",
    "\U0002b740\U0002b920 \uf900 \u3400 \u9fff\ua000",
    "[CLS] [SEP] [UNK] [MASK] ##ing #",
    "a" * 100,
    "a" * 101,
    "é" * 100 + " " + "é" * 101,
    "x" * 99 + "-" + "y" * 5,
    "1234567890 3.14159 1e-9 0xFF 2021-01-31T23:59:59Z",
    "SELECT COUNT(*) FROM \"Orders\" WHERE status='paid'",
    "supercalifragilisticexpialidocious pneumonoultramicroscopicsilicovolcanoconiosis",
    "q\u0323\u0307 \u1e69 \u0130\u0131 \u01c5 \ufb03",
]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--table", required=True)
    arguments.add_argument("--out", required=True)
    options = arguments.parse_args()
    _, vocabulary, vectors = artifact.read(options.table)
    made = bags.Bags(bags.tokenizer_of(vocabulary), TEXTS)
    units = bags.unit(made.sums(vectors))
    lines = []
    for position, text in enumerate(TEXTS):
        ids = made.ids[made.starts[position] : made.starts[position + 1]].tolist()
        vector = [round(float(number), 5) for number in units[position, :NUMBERS]]
        lines.append(json.dumps({"text": text, "ids": ids, "vector": vector}))
    with open(options.out, "w") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
