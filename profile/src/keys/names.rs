//! How well the name of a column fits the key of a table: `customer_id` and `customers.id`, `cst_id` and
//! `t_cst_mst.cst_id`.
//!
//! Names are taken apart into words, words brought to the singular, and everything is looked up by words: the cost
//! grows with the number of columns and not with columns times tables.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use catalog::{Table, TypeClass};

mod lists;

pub(super) use lists::KEY_WORDS;
use lists::{
    AT_WORK, COUNTERS, ENDS, GLUED_KEY_WORDS, LEADING_KEY_WORDS, LEADING_NOISE, PEOPLE, ROLES, SELF_ROLES, SELF_WORDS,
    TRAILING_NOISE,
};

/// How well a role fits a table of people.
const ROLE_FIT: f64 = 0.55;
/// How well a name fits what means the same in another language, and has to fit with its key.
const FIT_ABROAD: f64 = 0.7;
const LEAST_ABROAD: f64 = 0.4;
/// A name that this many tables could mean says nothing.
const MOST_TARGETS: usize = 8;

/// A column that foreign keys can point to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Position of its table among the tables of the source.
    pub(super) table: usize,
    /// The column's name.
    pub(super) column: String,
    /// What the table is about: `order_item`.
    entity: String,
    /// Whether the table's name says more than the entity: `orders_v2`.
    qualified: bool,
    /// Whether it is its table's primary key.
    is_primary: bool,
    /// Whether its table has another key.
    is_alternate: bool,
    key: Name,
}

/// A column that a name fits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fit {
    /// Position in the list of targets.
    pub(super) target: usize,
    /// How well, 0 to 1.
    pub(super) name_fit: f64,
    /// Whether the name only says the role that somebody has, so that values have to say more.
    pub(super) by_role: bool,
    /// Whether it doesn't say that it is of a key, either.
    pub(super) is_bare: bool,
}

/// The targets, by the words that lead to them.
#[derive(Debug, Default)]
pub(super) struct Targets {
    all: Vec<Target>,
    by_entity: HashMap<String, Vec<usize>>,
    /// By what an entity of several words ends with: `company` for `partner_company`.
    by_last_words: HashMap<String, Vec<usize>>,
    by_key_name: HashMap<String, Vec<usize>>,
    /// Own keys by their names without the key word.
    by_key_stem: HashMap<String, Vec<usize>>,
    /// Entities, and what other keys are of, by what they mean in English.
    by_meaning: OnceLock<HashMap<&'static str, Vec<usize>>>,
    /// Entities by their first letter, for abbreviations.
    by_letter: BTreeMap<char, Vec<String>>,
    of_table: HashMap<usize, Vec<usize>>,
}

/// A column's name, as (thing, kind of key).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    /// The words before the key word, joined by `_`; empty for `id`.
    stem: String,
    /// What kind of key the last word says it is.
    kind: KeyKind,
    /// Whether the last word is a plural: `no_of_loans` counts and doesn't refer.
    plural: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyKind {
    /// `id`, `key` …
    Identifier,
    /// `code`.
    Code,
    /// `number`.
    Number,
    /// No key word.
    None,
}

impl Target {
    pub(super) fn new(table: usize, structure: &Table, column: &str) -> Self {
        let (entity, qualified) = entity(&structure.id.name);
        let is_primary = structure.primary_key == [column];
        let key = Name::of(column);
        Self { table, column: column.to_owned(), entity, qualified, is_primary, is_alternate: false, key }
    }

    /// Whether it is a key beside its table's own, and a number.
    pub(super) fn is_alternate_number(&self, table: &Table) -> bool {
        let class = table.column(&self.column).map(|column| column.type_class);
        self.is_alternate && class.is_some_and(TypeClass::is_numeric)
    }

    /// A key beside the one that its table has.
    pub(super) fn alternate(table: usize, structure: &Table, column: &str) -> Self {
        Self { is_alternate: true, ..Self::new(table, structure, column) }
    }
}

impl Targets {
    pub(super) fn new(all: Vec<Target>) -> Self {
        let mut targets = Self::default();
        for (position, target) in all.iter().enumerate() {
            targets.by_entity.entry(target.entity.clone()).or_default().push(position);
            for (cut, _) in target.entity.match_indices('_') {
                targets.by_last_words.entry(target.entity[cut + 1..].to_owned()).or_default().push(position);
            }
            targets.by_key_name.entry(joined(&target.column)).or_default().push(position);
            if target.is_primary && !target.key.stem.is_empty() && target.key.kind != KeyKind::None {
                targets.by_key_stem.entry(target.key.stem.clone()).or_default().push(position);
            }
            targets.of_table.entry(target.table).or_default().push(position);
        }
        for entity in targets.by_entity.keys() {
            if let Some(first) = entity.chars().next() {
                targets.by_letter.entry(first).or_default().push(entity.clone());
            }
        }
        targets.by_letter.values_mut().for_each(|entities| entities.sort());
        targets.all = all;
        targets
    }

    pub(super) fn get(&self, position: usize) -> &Target {
        &self.all[position]
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The targets that `column` of the table at `position` may refer to, best first, each once.
    pub(super) fn fits(&self, position: usize, table: &Table, column: &str) -> Vec<Fit> {
        let name = Name::of(column);
        let (own_entity, _) = entity(&table.id.name);
        let mut best: BTreeMap<usize, f64> = BTreeMap::new();
        let mut add = |targets: &[usize], fit: f64| {
            if targets.len() > MOST_TARGETS {
                return;
            }
            for &target in targets {
                let itself = self.all[target].table == position && self.all[target].column == column;
                let fit = fit * self.key_fit(target, &name);
                if !itself && fit >= 0.5 {
                    let known = best.entry(target).or_insert(fit);
                    *known = known.max(fit);
                }
            }
        };
        let has_key_word = name.kind != KeyKind::None;
        let by = |index: &'_ HashMap<String, Vec<usize>>, words: &str| index.get(words).cloned().unwrap_or_default();
        if !name.stem.is_empty() && !name.plural {
            add(&by(&self.by_entity, &name.stem), if has_key_word { 1.0 } else { 0.75 });
            for (cut, _) in name.stem.match_indices('_') {
                add(&by(&self.by_entity, &name.stem[cut + 1..]), if has_key_word { 0.85 } else { 0.6 });
            }
            // `site` of `tr_resv` is one of `tr_site`.
            for (cut, _) in own_entity.match_indices('_') {
                add(
                    &by(&self.by_entity, &format!("{}_{}", &own_entity[..cut], name.stem)),
                    if has_key_word { 0.9 } else { 0.7 },
                );
            }
            // `from_id` and `into_id` of `clinic_merge` are two clinics.
            if has_key_word && ENDS.contains(&name.stem.as_str()) {
                for (cut, _) in own_entity.match_indices('_') {
                    add(&by(&self.by_entity, &own_entity[..cut]), 0.8);
                }
            }
            if SELF_ROLES.contains(&name.stem.as_str()) {
                add(&self.of_table.get(&position).cloned().unwrap_or_default(), if has_key_word { 0.8 } else { 0.7 });
            }
        }
        // A key of the same name elsewhere, unless this is the table that the name belongs to. A bare `uuid` only says that
        // the row has one.
        let full = joined(column);
        let is_bare = KEY_WORDS.contains(&full.as_str()) || COUNTERS.split(' ').any(|counter| counter == full);
        if own_entity != name.stem && !is_bare && (full.contains('_') || has_glued_key_word(&full)) {
            add(&by(&self.by_key_name, &full), if has_key_word { 0.8 } else { 0.7 });
        }
        // The very name of another table's own key, which no third one has: `wh`.
        if best.is_empty() && !is_bare && own_entity != name.stem && full.len() > 1 {
            let others = by(&self.by_key_name, &full).into_iter().filter(|target| self.all[*target].table != position);
            let (alternates, own): (Vec<usize>, Vec<usize>) = others.partition(|target| self.all[*target].is_alternate);
            let own: Vec<usize> = own.into_iter().filter(|target| self.all[*target].is_primary).collect();
            match (own.as_slice(), alternates.as_slice()) {
                ([only], _) => best.insert(*only, 0.7),
                ([], [only]) => best.insert(*only, 0.6),
                _ => None,
            };
        }
        // `payment_id` of `payments` is what that table is known by, and `pet` no abbreviation of it.
        if has_key_word && !name.stem.is_empty() && name.stem != own_entity && best.is_empty() {
            let mut add = |targets: &[usize], fit: f64| {
                let fit_of = |target: usize| fit * self.key_fit(target, &name);
                let usable = targets.iter().copied().filter(|&target| {
                    targets.len() <= MOST_TARGETS && self.all[target].table != position && fit_of(target) >= 0.5
                });
                best.extend(usable.map(|target| (target, fit_of(target))));
            };
            for (cut, _) in full.match_indices('_') {
                let rest = &full[cut + 1..];
                add(if rest.contains('_') { self.by_key_name.get(rest).map_or(&[], Vec::as_slice) } else { &[] }, 0.7);
            }
            add(&by(&self.by_last_words, &name.stem), 0.7);
            self.abbreviated(&name.stem, &own_entity, |targets| add(targets, 0.6));
        }
        // What another table's own key is called without its key word: `pf` and `pf_id`.
        if best.is_empty() && !name.plural && !name.stem.is_empty() && name.stem != own_entity {
            let theirs = by(&self.by_key_stem, &name.stem).into_iter();
            let theirs: Vec<usize> = theirs.filter(|target| self.all[*target].table != position).collect();
            if let [only] = theirs.as_slice() {
                best.insert(*only, 0.6);
            }
        }
        // The same in another language: `tier_id` and `pets`.
        let is_abroad =
            best.is_empty() && has_key_word && !name.plural && !name.stem.is_empty() && name.stem != own_entity;
        let abroad = if is_abroad { self.meaning_the_same(&name.stem) } else { Vec::new() };
        let abroad: Vec<usize> = abroad.into_iter().filter(|target| self.all[*target].table != position).collect();
        let by_meaning = !abroad.is_empty() && abroad.len() <= MOST_TARGETS;
        if by_meaning {
            best.extend(abroad.into_iter().map(|target| (target, FIT_ABROAD * self.key_fit(target, &name))));
            best.retain(|_, fit| *fit >= LEAST_ABROAD);
        }
        // `line_no` beside `line_id` numbers the rows, of each order from one on.
        if name.kind != KeyKind::None {
            let is_number_of_row =
                |target: &usize| self.all[*target].table == position && self.all[*target].key.stem == name.stem;
            best.retain(|target, _| !is_number_of_row(target));
        }
        // `art` of articles: the beginning of one entity's name.
        let begun = if best.is_empty() && !has_key_word && !name.plural { self.begun(&full) } else { &[] };
        let by_beginning: Vec<usize> =
            begun.iter().copied().filter(|target| self.all[*target].table != position).collect();
        let is_own = best.is_empty() && !name.plural && by_beginning.is_empty() && has_self_word(&name);
        let role = if name.plural { None } else { role(&name) };
        let by_role = by_meaning || best.is_empty() && (is_own || role.is_some() || !by_beginning.is_empty());
        let mut is_bare = false;
        let mut people = BTreeMap::new();
        if is_own {
            let own = self.of_table.get(&position).cloned().unwrap_or_default();
            best.extend(
                own.into_iter().filter(|target| self.all[*target].column != column).map(|target| (target, ROLE_FIT)),
            );
        } else if !by_beginning.is_empty() {
            best.extend(by_beginning.into_iter().map(|target| (target, ROLE_FIT)));
        } else if best.is_empty() || SELF_ROLES.contains(&name.stem.as_str()) {
            // Somebody's manager is in the same table, and a site's among the people.
            is_bare = role == Some(Role::Bare);
            let is_of_people = |entity: &str| entity.rsplit('_').next().is_some_and(|last| PEOPLE.contains(&last));
            let found = self.by_entity.iter().filter(|(entity, _)| role.is_some() && is_of_people(entity));
            let found = found.flat_map(|(_, targets)| targets).filter(|target| self.all[**target].table != position);
            people.extend(found.filter(|target| !best.contains_key(target)).map(|target| (*target, ROLE_FIT)));
        }
        let named = best.into_iter().map(|(target, name_fit)| Fit { target, name_fit, by_role, is_bare: false });
        let people = people.into_iter().map(|(target, name_fit)| Fit { target, name_fit, by_role: true, is_bare });
        let mut fits: Vec<Fit> = named.chain(people).collect();
        fits.sort_by(|left, right| right.name_fit.total_cmp(&left.name_fit).then(left.target.cmp(&right.target)));
        fits.truncate(MOST_TARGETS);
        fits
    }

    /// The targets of entities that mean the same in English as the last word of a name.
    fn meaning_the_same(&self, stem: &str) -> Vec<usize> {
        // Dictionaries are read where a name needs them.
        let by_meaning = self.by_meaning.get_or_init(|| {
            let mut by_meaning: HashMap<&'static str, Vec<usize>> = HashMap::new();
            for (position, target) in self.all.iter().enumerate() {
                let is_of_key = target.is_alternate && !target.key.stem.is_empty();
                let said = if is_of_key { &target.key.stem } else { &target.entity };
                for meaning in words::meanings_in_any(said) {
                    by_meaning.entry(meaning).or_default().push(position);
                }
            }
            by_meaning
        });
        let last = stem.rsplit('_').next().unwrap_or(stem);
        let meanings = words::meanings_in_any(last);
        let found = meanings.iter().filter_map(|meaning| by_meaning.get(meaning)).flatten().copied();
        found.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The targets of the one entity whose name begins with three letters or more and goes on; none where several do.
    fn begun(&self, name: &str) -> &[usize] {
        const LEAST: usize = 3;
        let entities = name.chars().next().and_then(|first| self.by_letter.get(&first)).map_or(&[][..], Vec::as_slice);
        let start = entities.partition_point(|entity| entity.as_str() < name);
        let mut found = entities[start..].iter().take_while(|entity| entity.starts_with(name));
        match (found.next(), found.next()) {
            (Some(only), None) if name.len() >= LEAST && only.len() > name.len() => &self.by_entity[only],
            _ => &[],
        }
    }

    /// How well a target's key suits a column that names its table: the kinds of key must agree, and the key must be
    /// the table's own.
    fn key_fit(&self, target: usize, name: &Name) -> f64 {
        let target = &self.all[target];
        let same_kind = target.key.kind == name.kind
            || name.kind == KeyKind::None
            || (target.key.kind == KeyKind::None && name.kind == KeyKind::Identifier);
        let own_key = target.key.stem.is_empty()
            || target.key.stem == target.entity
            || target.key.stem == name.stem
            || name.stem.ends_with(&format!("_{}", target.key.stem))
            || target.entity.ends_with(&format!("_{}", target.key.stem))
            || abbreviates(&target.key.stem, &target.entity);
        let kind_fit = if same_kind { 1.0 } else { 0.7 };
        let key_fit = if own_key { 1.0 } else { 0.7 };
        let table_fit = if target.qualified { 0.95 } else { 1.0 };
        kind_fit * key_fit * table_fit
    }

    /// Calls `found` with the targets of each entity that `stem` abbreviates, or that abbreviates it; of several with that which the
    /// table's own name begins with: `c_id` of `contract_ln` and of `cust_addr`.
    fn abbreviated(&self, stem: &str, own: &str, mut found: impl FnMut(&[usize])) {
        let Some(entities) = stem.chars().next().and_then(|first| self.by_letter.get(&first)) else { return };
        let begins = |entity: &String| {
            let first = own.split('_').next().unwrap_or(own);
            let is_own = own == entity || own.starts_with(&format!("{entity}_"));
            entity.starts_with(stem) && (is_own || first.len() > 2 && abbreviates(first, entity))
        };
        let near: Vec<&String> = entities.iter().filter(|entity| begins(entity)).collect();
        let matching = match near.is_empty() {
            true => entities.iter().filter(|entity| abbreviates(stem, entity) || abbreviates(entity, stem)).collect(),
            false => near,
        };
        // `c_id` abbreviates half of the alphabet.
        if matching.len() <= MOST_TARGETS {
            matching.iter().filter_map(|entity| self.by_entity.get(*entity)).for_each(|targets| found(targets));
        }
    }
}

impl Name {
    fn of(column: &str) -> Self {
        let mut words: Vec<String> = words::in_identifier(column);
        let leads = words.len() > 1 && LEADING_KEY_WORDS.contains(&words[0].as_str());
        let mut kind = KeyKind::None;
        if leads && !words.last().is_some_and(|last| KEY_WORDS.contains(&last.as_str())) {
            // `fk` says what follows is one, not what kind.
            kind = match words.remove(0).as_str() {
                "fk" => KeyKind::None,
                "id" => KeyKind::Identifier,
                _ => KeyKind::Code,
            };
        } else if leads && words[0] == "fk" {
            words.remove(0);
        }
        // `club_id_1` and `club_id_2` are two references of one kind.
        while let [.., key, number] = words.as_slice()
            && KEY_WORDS.contains(&key.as_str())
            && number.chars().all(|character| character.is_ascii_digit())
        {
            words.pop();
        }
        if words.last().is_some_and(|last| KEY_WORDS.contains(&last.as_str())) {
            kind = key_kind(&words.pop().unwrap_or_default());
        } else if let Some(last) = words.last_mut()
            && let Some((word, rest)) = GLUED_KEY_WORDS
                .iter()
                .filter_map(|word| Some((word, last.strip_suffix(word)?)))
                .find(|(_, rest)| rest.len() >= 3)
            && (*word == "id" || rest.len() >= 4)
        {
            kind = key_kind(word);
            *last = rest.to_owned();
        }
        let stem: Vec<String> = words.iter().map(|word| words::singular(word)).collect();
        let plural = kind == KeyKind::None && stem.last() != words.last();
        Self { stem: stem.join("_"), kind, plural }
    }
}

/// Whether one of its words tells of another row of the same table: `storno_no`, `correction_of`.
fn has_self_word(name: &Name) -> bool {
    name.stem.ends_with("_of")
        || name.stem.split('_').any(|word| SELF_WORDS.iter().any(|known| words::singular(known) == word))
}

/// How a name says what somebody is to the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// `owner_id`, `approved_by`, `assigned_to`.
    Named,
    /// `owner`, `appr`: a word, or the beginning of one, that may be a name as well, or something else.
    Bare,
}

fn role(name: &Name) -> Option<Role> {
    let mut words = name.stem.rsplit('_');
    let last = words.next().unwrap_or_default();
    let is_alone = words.next().is_none();
    // `by` and `to` need what was done.
    if matches!(last, "by" | "to") {
        return (!is_alone && name.kind == KeyKind::None).then_some(Role::Named);
    }
    let is_said = name.kind != KeyKind::None || !is_alone;
    match ROLES.contains(&last) {
        true if is_said || AT_WORK.contains(&last) => Some(Role::Named),
        is_whole => {
            let is_short = is_whole || ROLES.iter().any(|role| abbreviates(last, role));
            is_short.then_some(Role::Bare)
        }
    }
}

/// Whether the column, by its name, is what its table is known by: `id`, or `customer_id` of `customers`.
pub(super) fn names_own_key(table: &Table, column: &str) -> bool {
    let name = Name::of(column);
    let (entity, _) = entity(&table.id.name);
    name.kind == KeyKind::Identifier && (name.stem.is_empty() || name.stem == entity)
}

/// Whether a column, by its name, holds codes of a table's column: `yard_code` or `yard_ref` of `log_yards.yard_code`,
/// `car_park_code` of `car_parks.code`.
pub(crate) fn names_code_of(column: &str, table: &Table, code: &str) -> bool {
    let (own, theirs) = (Name::of(column), Name::of(code));
    let (entity, _) = entity(&table.id.name);
    let is_code = own.kind != KeyKind::None && theirs.kind != KeyKind::None && !own.plural;
    let is_of_entity = entity == own.stem || entity.ends_with(&format!("_{}", own.stem));
    is_code && !own.stem.is_empty() && (theirs.stem == own.stem || theirs.stem.is_empty() && is_of_entity)
}

/// Whether a column, by its name, identifies something.
pub(super) fn names_a_key(column: &str) -> bool {
    let name = Name::of(column);
    name.kind != KeyKind::None && !name.plural
}

pub(super) fn key_kind(word: &str) -> KeyKind {
    match word {
        "code" | "cd" => KeyKind::Code,
        "no" | "num" | "number" | "nr" => KeyKind::Number,
        _ => KeyKind::Identifier,
    }
}

/// What a table of that name is about: `order_item` for `tbl_order_items`.
pub(super) fn entity_of(table: &str) -> String {
    entity(table).0
}

/// What a table is about, and whether its name says more than that: `tbl_Customers` → `customer`; `orders_v2` →
/// `order`, and more.
fn entity(table: &str) -> (String, bool) {
    let words = words::in_identifier(table);
    let mut rest: &[String] = &words;
    while let [first, after @ ..] = rest
        && !after.is_empty()
        && LEADING_NOISE.contains(&first.as_str())
    {
        rest = after;
    }
    let mut qualified = false;
    while let [before @ .., last] = rest
        && !before.is_empty()
    {
        let version = last == "v" || last.chars().all(|character| character.is_ascii_digit());
        if !version && !TRAILING_NOISE.contains(&last.as_str()) {
            break;
        }
        qualified |= version;
        rest = before;
    }
    let singular_words: Vec<String> = rest.iter().map(|word| words::singular(word)).collect();
    (singular_words.join("_"), qualified)
}

/// Whether one word ends like a key: `uid`, `dno`.
fn has_glued_key_word(word: &str) -> bool {
    word.len() >= 3 && ["id", "no"].iter().any(|ending| word.ends_with(ending))
}

fn joined(name: &str) -> String {
    words::in_identifier(name).join("_")
}

/// Whether `short` leaves out letters of `long`, word by word: `cst` and `customer`, `ord_itm` and `order_item`. The
/// first letters must agree, and there must be three letters to agree on.
pub(super) fn abbreviates(short: &str, long: &str) -> bool {
    if short.len() < 3 || short.len() >= long.len() {
        return false;
    }
    let (short_words, long_words): (Vec<&str>, Vec<&str>) = (short.split('_').collect(), long.split('_').collect());
    short_words.len() == long_words.len()
        && short_words.iter().zip(&long_words).all(|(short, long)| {
            let mut letters = long.chars();
            short.chars().next() == long.chars().next()
                && short.chars().all(|wanted| letters.any(|letter| letter == wanted))
        })
}

#[cfg(test)]
mod tests {
    use catalog::{Table, TableId};

    use super::{Target, Targets, entity};

    fn table(name: &str) -> Table {
        Table::new(TableId::new("s", name))
    }

    /// `keys` are the targets as `table.column`; `from` is the column asked about; the best target and its fit.
    fn check(keys: &str, from: &str, expected: Option<(&str, f64)>) {
        let tables: Vec<Table> =
            keys.split_whitespace().chain([from]).map(|key| table(key.split_once('.').unwrap().0)).collect();
        let targets = Targets::new(
            keys.split_whitespace()
                .enumerate()
                .map(|(position, key)| Target::new(position, &tables[position], key.split_once('.').unwrap().1))
                .collect(),
        );
        let (own, column) = from.split_once('.').unwrap();
        let position = tables.iter().position(|table| table.id.name == own).unwrap();
        let fits = targets.fits(position, &tables[position], column);
        let found = fits.first().map(|fit| {
            let target = targets.get(fit.target);
            (format!("{}.{}", tables[target.table].id.name, target.column), (fit.name_fit * 1000.0).round() / 1000.0)
        });
        assert_eq!(found.as_ref().map(|(name, fit)| (name.as_str(), *fit)), expected, "{from} among {keys}");
    }

    #[test]
    fn the_usual_names_fit_fully() {
        check("customers.id orders.id", "orders.customer_id", Some(("customers.id", 1.0)));
        check("Customer.CustomerID", "Orders.CustomerID", Some(("Customer.CustomerID", 1.0)));
        check("tbl_categories.id", "product.categoryid", Some(("tbl_categories.id", 1.0)));
        check("order_items.order_item_id", "refunds.order_item_id", Some(("order_items.order_item_id", 1.0)));
        check("t_cst_mst.cst_id", "t_ord.cst_id", Some(("t_cst_mst.cst_id", 1.0)));
        check("countries.code", "cities.country_code", Some(("countries.code", 1.0)));
    }

    #[test]
    fn roles_and_short_forms_fit_less() {
        check("categories.id products.id", "products.main_category_id", Some(("categories.id", 0.85)));
        check("airports.code", "flights.dest_airport", Some(("airports.code", 0.6)));
        check("countries.id", "cities.country", Some(("countries.id", 0.75)));
        check("customers.id", "orders.cst_id", Some(("customers.id", 0.6)));
        check("departments.id", "staff.dept_id", Some(("departments.id", 0.6)));
        check("orders.id orders_v2.id", "items.order_id", Some(("orders.id", 1.0)));
        check("matches.match_id", "scores_by_day.match_id", Some(("matches.match_id", 1.0)));
        check("persons.player_id", "goals.player_id", Some(("persons.player_id", 0.8)));
        check("clubs.club_id", "results.club_id_2", Some(("clubs.club_id", 1.0)));
        check("departments.dept_name", "students.dept_name", Some(("departments.dept_name", 0.7)));
        check("profiles.uid", "tweets.uid", Some(("profiles.uid", 0.7)));
        check("accounts.u_id", "trust.source_u_id", Some(("accounts.u_id", 0.7)));
        check("partner_companies.id", "assets.company_id", Some(("partner_companies.id", 0.7)));
        let several = "customers.id contracts.id costumes.id cabinets.id";
        check(several, "contract_ln.c_id", Some(("contracts.id", 0.6)));
        check(several, "cust_addr.c_id", Some(("customers.id", 0.6)));
        check(several, "stock_moves.c_id", None);
    }

    #[test]
    fn a_row_can_refer_to_its_own_table() {
        check("categories.id", "categories.parent_id", Some(("categories.id", 0.8)));
        check("employees.employee_id", "employees.manager_id", Some(("employees.employee_id", 0.8)));
        check("employees.id", "employees.reportsTo", Some(("employees.id", 0.7)));
        check("employees.employee_id", "employees.employee_id", None);
        check("customers.customer_id customer_details.customer_id", "customers.customer_id", None);
    }

    #[test]
    fn names_fit_what_means_the_same_in_another_language() {
        check("pets.id visits.id", "impfungen.tier_id", Some(("pets.id", 0.7)));
        check("customers.id orders.id", "rechnungen.kunde_id", Some(("customers.id", 0.7)));
        check("customers.id orders.id", "facturas.id_cliente", Some(("customers.id", 0.7)));
        check("customers.id orders.id", "rechnungen.farbe_id", None);
        check("staff.id orders.id", "visits.vet_id", Some(("staff.id", 0.55)));
    }

    #[test]
    fn other_names_fit_nothing() {
        check("datasets.uuid", "workflows.uuid", None);
        check("customers.id", "orders.id", None);
        check("customers.id", "orders.amount", None);
        check("customers.id", "orders.c_id", None);
        check("customers.id", "orders.paid", None);
        check("loans.loan_id", "customers.no_of_loans", None);
        check("customers.id", "customers.name", None);
        check("genres.name", "artists.name", None);
    }

    #[test]
    fn a_name_that_too_many_tables_could_mean_says_nothing() {
        let keys: Vec<String> = (2010..2020).map(|year| format!("events_{year}.event_id")).collect();
        check(&keys.join(" "), "clicks.event_id", None);
    }

    #[test]
    fn table_names_lose_what_is_not_about_the_thing() {
        for (name, expected) in [
            ("tbl_Customers", ("customer", false)),
            ("DimProduct", ("product", false)),
            ("t_cst_mst", ("cst", false)),
            ("orders_v2", ("order", true)),
            ("t", ("t", false)),
            ("people", ("person", false)),
        ] {
            assert_eq!(entity(name), (expected.0.to_owned(), expected.1), "{name}");
        }
    }
}
