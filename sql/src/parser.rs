//! The parser of each dialect, and names as it gives them.
//!
//! What the dialects do differently is in the room `dialect`; here it is put to sqlparser.

use std::any::TypeId;

use catalog::Dialect;
use dialect::{HiddenColumns, Syntax};
use sqlparser::ast::{BinaryOperator, Expr, Ident};
use sqlparser::dialect::{Dialect as ParserDialect, GenericDialect, Precedence, SQLiteDialect, dialect_from_str};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};

/// What a dialect is parsed with; the generic grammar where sqlparser doesn't know it.
pub(crate) fn parser_of(dialect: &Dialect) -> Box<dyn ParserDialect> {
    match dialect.syntax().is_compares_values {
        true => Box::new(Sqlite(SQLiteDialect {})),
        false => dialect_from_str(dialect.name()).unwrap_or_else(|| Box::new(GenericDialect {})),
    }
}

/// Names as the parser gives them.
pub(crate) trait Idents {
    /// The form in which a name is compared and stored.
    fn fold(&self, ident: &Ident) -> String;

    /// Whether a name stands for a value of the engine's own.
    fn is_value(&self, ident: &Ident) -> bool;

    /// Whether `*` of a table may bring fewer columns than it has. A view has those that its query gave it.
    fn leaves_out_columns(&self, table: &catalog::Table) -> bool;
}

impl Idents for Syntax {
    fn fold(&self, ident: &Ident) -> String {
        self.folded(&ident.value, ident.quote_style.is_some())
    }

    fn is_value(&self, ident: &Ident) -> bool {
        ident.quote_style.is_none() && self.is_bare_value(&ident.value)
    }

    fn leaves_out_columns(&self, table: &catalog::Table) -> bool {
        match self.hidden_columns {
            HiddenColumns::None => false,
            HiddenColumns::Generated => table.columns.iter().any(|column| column.generated.is_some()),
            HiddenColumns::Any => table.kind != catalog::TableKind::View,
        }
    }
}

/// sqlparser's SQLite, and what SQLite understands besides: `IS` between any two values, `ISNULL`, shifts, `$` in names.
/// Its `AS MATERIALIZED` is taken out of the tokens, see [`Form::Materialized`].
#[derive(Debug)]
struct Sqlite(SQLiteDialect);

impl ParserDialect for Sqlite {
    fn dialect(&self) -> TypeId {
        self.0.dialect()
    }

    fn is_delimited_identifier_start(&self, character: char) -> bool {
        self.0.is_delimited_identifier_start(character)
    }

    fn identifier_quote_style(&self, identifier: &str) -> Option<char> {
        self.0.identifier_quote_style(identifier)
    }

    fn is_identifier_start(&self, character: char) -> bool {
        self.0.is_identifier_start(character) || !character.is_ascii() && !character.is_whitespace()
    }

    fn is_identifier_part(&self, character: char) -> bool {
        self.is_identifier_start(character) || character.is_ascii_digit() || character == '$'
    }

    fn parse_statement(&self, parser: &mut Parser) -> Option<Result<sqlparser::ast::Statement, ParserError>> {
        self.0.parse_statement(parser)
    }

    fn parse_infix(&self, parser: &mut Parser, left: &Expr, precedence: u8) -> Option<Result<Expr, ParserError>> {
        if let Some(result) = self.0.parse_infix(parser, left, precedence) {
            return Some(result);
        }
        let word = |position: usize, parser: &Parser| match &parser.peek_nth_token_ref(position).token {
            sqlparser::tokenizer::Token::Word(word) if word.quote_style.is_none() => Some(word.keyword),
            _ => None,
        };
        if is_isnull(parser) {
            parser.next_token();
            return Some(Ok(Expr::IsNull(Box::new(left.clone()))));
        }
        if word(0, parser) != Some(Keyword::IS) {
            return None;
        }
        let negated = word(1, parser) == Some(Keyword::NOT);
        let known = [Keyword::NULL, Keyword::TRUE, Keyword::FALSE, Keyword::DISTINCT];
        if word(1 + usize::from(negated), parser).is_some_and(|keyword| known.contains(&keyword)) {
            return None;
        }
        parser.next_token();
        if negated {
            parser.next_token();
        }
        let op = if negated { BinaryOperator::NotEq } else { BinaryOperator::Eq };
        Some(parser.parse_subexpr(precedence).map(|right| Expr::BinaryOp {
            left: Box::new(left.clone()),
            op,
            right: Box::new(right),
        }))
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        is_isnull(parser).then(|| Ok(self.prec_value(Precedence::Is)))
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        self.0.supports_filter_during_aggregation()
    }

    fn supports_start_transaction_modifier(&self) -> bool {
        self.0.supports_start_transaction_modifier()
    }

    fn supports_in_empty_list(&self) -> bool {
        self.0.supports_in_empty_list()
    }

    fn supports_limit_comma(&self) -> bool {
        self.0.supports_limit_comma()
    }

    fn supports_asc_desc_in_column_definition(&self) -> bool {
        self.0.supports_asc_desc_in_column_definition()
    }

    fn supports_dollar_placeholder(&self) -> bool {
        self.0.supports_dollar_placeholder()
    }

    fn supports_notnull_operator(&self) -> bool {
        self.0.supports_notnull_operator()
    }

    fn supports_comma_separated_trim(&self) -> bool {
        self.0.supports_comma_separated_trim()
    }

    fn supports_numeric_literal_underscores(&self) -> bool {
        self.0.supports_numeric_literal_underscores()
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }
}

/// Whether the next token is SQLite's operator `ISNULL`.
fn is_isnull(parser: &Parser) -> bool {
    match &parser.peek_token_ref().token {
        sqlparser::tokenizer::Token::Word(word) => {
            word.quote_style.is_none() && word.value.eq_ignore_ascii_case("isnull")
        }
        _ => false,
    }
}
