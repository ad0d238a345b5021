//! General knowledge about words: which ones carry no meaning, which abbreviations databases use.
//!
//! Only what holds in any company belongs here. Names of one database never do.

/// Words of questions that don't point to a table. Sorted.
pub(crate) const STOP_WORDS: &[&str] = &[
    "a", "about", "above", "according", "across", "after", "against", "all", "along", "also", "always", "am", "among",
    "an", "and", "any", "are", "as", "ascending", "at", "be", "been", "before", "being", "below", "besides",
    "between", "both", "but", "by", "calculate", "can", "compute", "contain", "contains", "corresponding", "could",
    "define", "descending", "determine", "did", "different", "display", "distinct", "do", "does", "doesn", "don",
    "done", "during", "each", "either", "else", "equal", "ever", "every", "exactly", "except", "excluding", "fewer",
    "fewest", "find", "first", "following", "for", "from", "get", "give", "given", "greater", "had", "has", "have",
    "having", "he", "her", "here", "him", "his", "how", "identify", "if", "in", "include", "including", "indicate",
    "into", "is", "isn", "it", "its", "just", "larger", "least", "less", "let", "like", "list", "lower", "many",
    "may", "me", "more", "most", "much", "must", "my", "need", "neither", "no", "nor", "not", "of", "off", "on",
    "once", "one", "only", "or", "other", "our", "out", "over", "own", "per", "please", "provide", "refer", "refers",
    "respectively", "same", "say", "select", "she", "should", "show", "since", "so", "some", "sort", "sorted", "such",
    "tell", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "through",
    "to", "together", "too", "under", "until", "up", "us", "use", "used", "using", "versus", "very", "via", "was",
    "we", "were", "what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with",
    "within", "without", "would", "you", "your",
];

/// Abbreviations common in identifiers, with their long forms (as terms).
pub(crate) const ABBREVIATIONS: &[(&str, &str)] = &[
    ("acc", "account"), ("acct", "account"), ("addr", "address"), ("adm", "admission"), ("agg", "aggregate"), ("amt", "amount"), ("app", "application"),
    ("appt", "appointment"), ("attr", "attribute"), ("auth", "author"), ("avg", "average"), ("bal", "balance"), ("bday", "birthday"), ("bldg", "building"), ("cat", "category"),
    ("categ", "category"), ("cd", "code"), ("cnt", "count"), ("cntry", "country"), ("co", "company"), ("comm", "comment"),
    ("conf", "conference"), ("cont", "continent"), ("corp", "corporation"), ("cst", "customer"), ("ctry", "country"), ("cty", "city"), ("cur", "currency"), ("curr", "currency"), ("cust", "customer"),
    ("del", "delivery"), ("dep", "department"), ("dept", "department"), ("desc", "description"), ("descr", "description"),
    ("dest", "destination"), ("dim", "dimension"), ("dist", "district"), ("dob", "birth"), ("doc", "document"), ("dt", "date"), ("dur", "duration"),
    ("emp", "employee"), ("eng", "engine"), ("est", "estimate"), ("exp", "expense"), ("fac", "faculty"), ("fk", "key"), ("flt", "flight"), ("fname", "first"),
    ("freq", "frequency"), ("gen", "gender"), ("grp", "group"), ("hist", "history"), ("hosp", "hospital"), ("hr", "hour"), ("img", "image"), ("inst", "instructor"), ("inv", "invoice"),
    ("itm", "item"), ("lang", "language"), ("lat", "latitude"), ("len", "length"), ("lname", "last"), ("lng", "longitude"), ("loc", "location"),
    ("lon", "longitude"), ("maj", "major"), ("manu", "manufacturer"), ("max", "maximum"), ("med", "medication"), ("mem", "member"), ("mfr", "manufacturer"), ("mgr", "manager"), ("min", "minimum"), ("mkt", "market"),
    ("mm", "month"), ("mst", "master"), ("msg", "message"), ("nat", "nationality"), ("nbr", "number"), ("no", "number"), ("num", "number"), ("ord", "order"), ("org", "organization"), ("orig", "origin"),
    ("pat", "patient"), ("pct", "percent"), ("perf", "performance"), ("pers", "person"), ("phys", "physician"), ("pk", "key"), ("pop", "population"), ("pos", "position"), ("prc", "price"), ("pref", "preference"), ("prereq", "prerequisite"), ("pres", "president"), ("prod", "product"),
    ("prof", "professor"), ("proj", "project"), ("proc", "procedure"), ("pub", "publication"), ("qty", "quantity"), ("rec", "record"), ("ref", "reference"), ("reg", "region"), ("rel", "relation"), ("rep", "representative"), ("rest", "restaurant"),
    ("rm", "room"), ("sal", "salary"), ("sch", "school"), ("sec", "section"), ("seq", "sequence"), ("spec", "specification"), ("srv", "service"), ("st", "state"), ("stat", "status"), ("std", "standard"), ("stu", "student"), ("sub", "subscription"),
    ("subj", "subject"), ("svc", "service"), ("tbl", "table"), ("tel", "telephone"), ("temp", "temperature"), ("tot", "total"), ("tran", "transaction"), ("trans", "transaction"), ("trx", "transaction"), ("ts", "timestamp"), ("txn", "transaction"),
    ("typ", "type"), ("univ", "university"), ("usr", "user"), ("val", "value"), ("veh", "vehicle"), ("vol", "volume"), ("whs", "warehouse"), ("wh", "warehouse"), ("wt", "weight"), ("yr", "year"),
];

/// Words that are often written without a separator at the end of a column's name, longest first.
pub(crate) const GLUED_ENDINGS: &[&str] = &[
    "description", "category", "quantity", "address", "country", "number", "status", "amount", "price", "title", "count", "group", "level", "total", "value", "score", "state",
    "name", "code", "date", "type", "time", "year", "rate", "city", "size", "key", "num", "id", "no",
];

#[cfg(test)]
mod tests {
    use super::{GLUED_ENDINGS, STOP_WORDS};

    #[test]
    fn lists_are_in_the_order_that_look_ups_need() {
        assert!(STOP_WORDS.is_sorted(), "{:?}", STOP_WORDS.windows(2).find(|pair| pair[0] > pair[1]));
        assert!(GLUED_ENDINGS.is_sorted_by(|left, right| left.len() >= right.len()));
    }
}
