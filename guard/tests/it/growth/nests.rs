//! Statements made of functions that make more of less, one in the other.
//!
//! A template holds `@t` for a text, `@n` for a number and `@c` for a letter; what stands for them is made in turn. The
//! answer is always the length of what was made.

use fastrand::Rng;

const EVERYWHERE: &[&str] = &[
    "replace(@t, @c, @t)",
    "replace(replace(@t, @c, @t), @c, @t)",
    "upper(@t)",
    "coalesce(@t, @t)",
    "CASE WHEN length(@t) > @n THEN @t ELSE @t END",
    "substr(@t, 1, @n)",
];

const SQLITE: &[&str] = &[
    "@t || @t",
    "hex(@t)",
    "quote(@t)",
    "printf('%s-%s', @t, @t)",
    "printf('%.@nd', 1)",
    "json_quote(@t)",
    "json_array(@t, @t)",
    "json_object('k', @t)",
    "(SELECT group_concat(@t) FROM order_lines)",
    "(SELECT group_concat(@t, @t) FROM customers)",
    "hex(zeroblob(@n))",
    "concat(@t, @t, @t)",
];

const POSTGRES: &[&str] = &[
    "@t || @t",
    "repeat(@t, @n)",
    "lpad(@t, @n, @t)",
    "rpad(@t, @n)",
    "translate(@t, 'abx', 'xyz')",
    "regexp_replace(@t, 'a', @t, 'g')",
    "regexp_replace(@t, '(x)', '\\1\\1\\1', 'g')",
    "format('%s-%s', @t, @t)",
    "format('%1$s%1$s%1$s', @t)",
    "quote_literal(@t)",
    "encode(convert_to(@t, 'UTF8'), 'hex')",
    "array_to_string(string_to_array(@t, @c), @t)",
    "to_json(@t)::text",
    "jsonb_build_object('k', @t)::text",
    "(SELECT string_agg(@t, @c) FROM generate_series(1, @n) g)",
    "(SELECT string_agg(@t, @t) FROM customers)",
    "array_to_string(array_fill(@t, ARRAY[@n]), @c)",
    "concat_ws(@t, @t, @t)",
    "reverse(@t)",
    "split_part(@t, @c, 1)",
];

const MYSQL: &[&str] = &[
    "REPEAT(@t, @n)",
    "LPAD(@t, @n, @t)",
    "CONCAT(@t, @t)",
    "CONCAT_WS(@t, @t, @t)",
    "HEX(@t)",
    "TO_BASE64(@t)",
    "QUOTE(@t)",
    "JSON_QUOTE(@t)",
    "JSON_ARRAY(@t, @t)",
    "INSERT(@t, 2, 1, @t)",
    "REGEXP_REPLACE(@t, 'a', @t)",
    "(SELECT GROUP_CONCAT(@t) FROM order_lines)",
    "EXPORT_SET(5, @t, '0', @c, 10)",
    "CONCAT(SPACE(@n), @t)",
    "REVERSE(@t)",
    "SUBSTRING_INDEX(@t, @c, @n)",
];

const DUCKDB: &[&str] = &[
    "@t || @t",
    "repeat(@t, @n)",
    "lpad(@t, @n, @c)",
    "regexp_replace(@t, 'a', @t, 'g')",
    "printf('%s-%s', @t, @t)",
    "hex(@t)",
    "to_base64(encode(@t))",
    "array_to_string(string_split(@t, @c), @t)",
    "(SELECT string_agg(@t, @c) FROM range(@n) r)",
    "array_to_string(list_transform(range(@n), i -> @t), @c)",
    "concat_ws(@t, @t, @t)",
    "to_json(@t)::varchar",
    "list_aggregate([@t, @t, @t], 'string_agg', @t)",
    "list_reduce([@t, @t, @t], (x, y) -> x || y || x)",
    "translate(@t, 'abx', 'xyz')",
];

const CLICKHOUSE: &[&str] = &[
    "@t || @t",
    "repeat(@t, @n)",
    "leftPad(@t, @n, @c)",
    "rightPad(@t, @n)",
    "replaceAll(@t, @c, @t)",
    "replaceRegexpAll(@t, 'a', @t)",
    "replaceRegexpAll(@t, '(x)', '\\\\1\\\\1\\\\1')",
    "format('{}-{}', @t, @t)",
    "format('{0}{0}{0}', @t)",
    "hex(@t)",
    "base64Encode(@t)",
    "toJSONString(@t)",
    "concat(@t, @t, @t)",
    "concatWithSeparator(@t, @t, @t)",
    "arrayStringConcat(splitByString(@c, @t), @t)",
    "arrayStringConcat(arrayMap(i -> @t, range(@n)), @c)",
    "arrayStringConcat(arrayFill(x -> 1, [@t, @t]), @t)",
    "arrayStringConcat(extractAll(@t, 'a'), @t)",
    "(SELECT arrayStringConcat(groupArray(@t), @c) FROM numbers(@n))",
    "(SELECT arrayStringConcat(groupArray(@t), @t) FROM customers)",
    "reverse(@t)",
    "upperUTF8(@t)",
    "translate(@t, 'abx', 'xyz')",
    "substring(@t, 1, @n)",
    "bar(@n, 0, 100, @n)",
];

/// Made-up statements of a dialect.
pub(super) struct Nests {
    dialect: &'static str,
    templates: Vec<&'static str>,
    random: Rng,
}

impl Nests {
    pub(super) fn new(dialect: &'static str, seed: u64) -> Self {
        let own = match dialect {
            "sqlite" => SQLITE,
            "postgres" => POSTGRES,
            "mysql" => MYSQL,
            "duckdb" => DUCKDB,
            "clickhouse" => CLICKHOUSE,
            other => panic!("nobody has written templates for {other}"),
        };
        Self {
            dialect,
            templates: EVERYWHERE.iter().chain(own).chain(own).copied().collect(),
            random: Rng::with_seed(seed),
        }
    }

    pub(super) fn statement(&mut self) -> String {
        let depth = self.random.usize(1..=5);
        let text = self.text(depth, &[]);
        match self.random.u8(0..10) {
            0..=3 => format!("SELECT length({text})"),
            4 | 5 => {
                let text = self.text(depth, &["full_name", "country"]);
                format!("SELECT length({text}) FROM customers")
            }
            6 | 7 => {
                let (again, last) = (self.text(depth.min(3), &["s"]), self.text(2, &["s"]));
                format!(
                    "WITH a AS (SELECT {text} AS s), b AS (SELECT {again} AS s FROM a) SELECT length({last}) FROM b"
                )
            }
            _ => {
                let start = self.text(depth.min(2), &[]);
                let again = self.text(self.random.clone().usize(1..=2), &["s"]);
                let (start, again) = match self.dialect {
                    // The first part says how long the column may become.
                    "mysql" => (format!("CAST({start} AS CHAR(20000))"), again),
                    "postgres" => (format!("({start})::text"), format!("({again})::text")),
                    _ => (start, again),
                };
                let rounds = self.random.u32(2..30);
                format!(
                    "WITH RECURSIVE c(n, s) AS (SELECT 1, {start} UNION ALL SELECT n + 1, {again} FROM c WHERE n < {rounds}) \
                     SELECT max(length(s)) FROM c"
                )
            }
        }
    }

    /// A text that is made in so many steps; `names` can be read where it stands.
    fn text(&mut self, depth: usize, names: &[&str]) -> String {
        if depth == 0 {
            let leaves = ["'a'", "'ab,x'", "'xx'", "'a,b,c'", "'aaaaaaaaaaaaaaaa'"];
            return match names {
                [] => self.chosen(&leaves),
                names if self.random.bool() => self.chosen(names),
                _ => self.chosen(&leaves),
            };
        }
        let template = self.templates[self.random.usize(..self.templates.len())];
        let mut made = String::new();
        let mut rest = template;
        while let Some(position) = rest.find('@') {
            made.push_str(&rest[..position]);
            let inner = if self.random.u8(0..3) == 0 { 0 } else { depth - 1 };
            made.push_str(&match &rest[position + 1..=position + 1] {
                "t" => self.text(inner, names),
                "n" => self.chosen(&["2", "3", "10", "50", "300", "2000", "9000"]),
                _ => self.chosen(&["'a'", "'x'", "','", "'b'"]),
            });
            rest = &rest[position + 2..];
        }
        made.push_str(rest);
        made
    }

    fn chosen(&mut self, of: &[&str]) -> String {
        of[self.random.usize(..of.len())].to_owned()
    }
}
