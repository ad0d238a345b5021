//! The statement that tells how long texts are: [`crate::SampleRequest::Lengths`].

/// The mean and the longest of these lengths, each an expression over the rows that `from` gives; `told` are both for one of
/// them, by its name.
pub(crate) fn of_rows(lengths: &[String], from: &str, told: impl Fn(&str) -> [String; 2]) -> String {
    let names: Vec<String> = (0..lengths.len()).map(|place| format!("c{place}")).collect();
    let inside: Vec<String> = lengths.iter().zip(&names).map(|(length, name)| format!("{length} AS {name}")).collect();
    let (means, longest): (Vec<String>, Vec<String>) =
        names.iter().map(|name| told(name)).map(|[mean, longest]| (mean, longest)).unzip();
    let outside = [means, longest].concat().join(", ");
    format!("SELECT {outside} FROM (SELECT {} {from}) AS measured", inside.join(", "))
}
