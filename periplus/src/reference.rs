//! The generated pages of `docs/reference/`: the command line from clap's tree, the configuration from its types.
//!
//! The tests compare the pages with what the code says, so a flag or a key without documentation can't be added;
//! `PERIPLUS_UPDATE=1` writes them anew.

use std::fmt::Write;
use std::path::Path;

use clap::{Command, CommandFactory};
use serde_json::Value;

use crate::args::Arguments;
use crate::config::Config;

#[test]
fn the_page_of_the_command_line_is_current() {
    compare("cli.md", &command_line());
}

#[test]
fn the_page_of_the_configuration_is_current() {
    compare("configuration.md", &configuration());
}

fn compare(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference").join(name);
    if std::env::var_os("PERIPLUS_UPDATE").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == text, "{name} is out of date: run the tests with PERIPLUS_UPDATE=1");
}

fn command_line() -> String {
    let mut page = String::from("# The command line\n\n<!-- Generated: edit periplus/src/args.rs. -->\n");
    let mut root = Arguments::command();
    root.build();
    page.push_str("\n## Options of every command\n\n");
    let globals: Vec<&clap::Arg> = root.get_arguments().filter(|argument| argument.is_global_set()).collect();
    globals.iter().for_each(|argument| option(&mut page, argument));
    let inherited: Vec<&str> = globals.iter().map(|argument| argument.get_id().as_str()).collect();
    for command in root.get_subcommands().filter(|command| command.get_name() != "help") {
        section(&mut page, command, "periplus", &inherited);
    }
    page
}

fn section(page: &mut String, command: &Command, parent: &str, inherited: &[&str]) {
    let name = format!("{parent} {}", command.get_name());
    let about = command.get_about().unwrap_or_else(|| panic!("{name} has no description"));
    let about = about.to_string();
    let stop = if about.ends_with('?') { "" } else { "." };
    writeln!(page, "\n## `{name}`\n\n{about}{stop}\n").unwrap();
    let is_own = |argument: &&clap::Arg| !argument.is_global_set() || !inherited.contains(&argument.get_id().as_str());
    let own: Vec<&clap::Arg> = command.get_arguments().filter(is_own).collect();
    own.iter().for_each(|argument| option(page, argument));
    let globals = own.iter().filter(|argument| argument.is_global_set()).map(|argument| argument.get_id().as_str());
    let inherited: Vec<&str> = inherited.iter().copied().chain(globals).collect();
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        section(page, inner, &name, &inherited);
    }
}

fn option(page: &mut String, argument: &clap::Arg) {
    if matches!(argument.get_id().as_str(), "help" | "version") {
        return;
    }
    let help = argument.get_help().unwrap_or_else(|| panic!("{} has no help", argument.get_id())).to_string();
    let values: Vec<String> = argument
        .get_value_names()
        .filter(|_| argument.get_action().takes_values())
        .into_iter()
        .flatten()
        .map(ToString::to_string)
        .collect();
    let shape = match argument.get_long() {
        Some(long) if values.is_empty() => format!("--{long}"),
        Some(long) => format!("--{long} {}", values.join(" ")),
        None => values.join(" "),
    };
    let choices: Vec<String> =
        argument.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    let choices = match choices.as_slice() {
        [] => String::new(),
        _ if !argument.get_action().takes_values() => String::new(),
        choices => format!(" One of {}.", choices.join(", ")),
    };
    let default: Vec<_> = argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let default = match default.as_slice() {
        [] => String::new(),
        _ if !argument.get_action().takes_values() => String::new(),
        default => format!(" Default: `{}`.", default.join(" ")),
    };
    let required = if argument.is_required_set() { " Required." } else { "" };
    writeln!(page, "- `{shape}`: {}.{choices}{default}{required}", help.trim_end_matches('.')).unwrap();
}

fn configuration() -> String {
    let schema = serde_json::to_value(schemars::schema_for!(Config)).unwrap();
    let defaults = serde_json::to_value(Config::default()).unwrap();
    let mut page = String::from(
        "# The configuration\n\n<!-- Generated: edit periplus/src/config.rs. -->\n\n`periplus.toml`, in the project's \
         folder. Unknown keys are errors. `${VAR}` in a string stands for that environment \
         variable; where it is the password of an address it may hold any sign, encoded (`%40`) or not.\n",
    );
    for (name, property) in schema["properties"].as_object().unwrap() {
        let is_list = property["type"] == "array";
        let kind = if is_list { &property["items"] } else { property };
        let title = if is_list { format!("[[{name}]]") } else { format!("[{name}]") };
        writeln!(page, "\n## `{title}`\n\n{}\n", text(property)).unwrap();
        keys(&mut page, &schema, name, definition(&schema, kind), &defaults[name]);
    }
    page
}

/// The keys of a section, and behind them the sections in it.
fn keys(page: &mut String, schema: &Value, section: &str, kind: &Value, defaults: &Value) {
    let mut inner: Vec<(String, &Value, &Value)> = Vec::new();
    for (key, value) in kind["properties"].as_object().unwrap() {
        let default = match &defaults[key] {
            Value::Null => String::new(),
            Value::Array(items) if items.is_empty() => String::new(),
            Value::Object(_) => String::new(),
            Value::Number(number) if number.is_f64() => {
                format!(" Default: `{}`.", number.as_f64().unwrap_or_default() as f32)
            }
            default => format!(" Default: `{default}`."),
        };
        let choices = choices(schema, value);
        assert!(!text(value).is_empty(), "{section}.{key} has no description");
        writeln!(page, "- `{key}`: {}{choices}{default}", text(value)).unwrap();
        let named = definition(schema, &value["additionalProperties"]);
        if definition(schema, value)["properties"].is_object() {
            inner.push((format!("{section}.{key}"), definition(schema, value), &defaults[key]));
        } else if named["properties"].is_object() {
            inner.push((format!("{section}.{key}.NAME"), named, &Value::Null));
        }
    }
    for (title, kind, defaults) in inner {
        writeln!(page, "\n### `[{title}]`\n").unwrap();
        keys(page, schema, &title, kind, defaults);
    }
}

fn definition<'a>(schema: &'a Value, property: &'a Value) -> &'a Value {
    let reference = property["$ref"].as_str().or_else(|| property["anyOf"][0]["$ref"].as_str());
    match reference.and_then(|reference| reference.rsplit('/').next()) {
        Some(name) => &schema["$defs"][name],
        None => property,
    }
}

fn choices(schema: &Value, property: &Value) -> String {
    let choices = definition(schema, property)["oneOf"].as_array().into_iter().flatten();
    choices
        .filter_map(|choice| {
            let name = choice["const"].as_str()?;
            Some(format!("\n  - `\"{name}\"`: {}", text(choice)))
        })
        .collect()
}

fn text(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ")
}
