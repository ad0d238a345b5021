//! The binary from outside: what it prints, its exit codes, what is left on disk.

mod bad_input;
mod interrupted;
mod project;
mod shop;
