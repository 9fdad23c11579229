//! Every test asserts, in every clone: none is ignored, none returns before its end, none looks whether something is
//! there and goes without it. Read out of the sources, as Rust and not as lines.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot read the sources has failed"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use syn::parse::{Parse, ParseStream};
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, Ident, Token};

/// Who may ask: two tests that call themselves as the process that gets killed, one that has two folders to choose
/// from, and the walk through folders.
const MAY_ASK: [&str; 4] = [
    "walk",
    "a_killed_writer_leaves_whole_writes_only",
    "a_killed_process_has_paid_for_every_call_it_made",
    "a_read_only_folder_is_named_with_a_way_out",
];

#[test]
fn every_test_asserts_and_none_leaves_early() {
    let mut found = Collected::default();
    for file in sources() {
        let own = file.strip_prefix(home()).unwrap();
        let is_test = own.components().any(|c| c.as_os_str() == "tests")
            || own.ends_with("tests.rs")
            || own.ends_with("testdata.rs");
        found.read(
            &own.display().to_string(),
            &fs::read_to_string(&file).unwrap(),
            is_test,
        );
    }
    let tests = found.functions.iter().filter(|f| f.is_test).count();
    println!("{tests} tests among {} functions", found.functions.len());
    assert!(tests > 700, "only {tests} tests were found");
    let wrong = found.judge();
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
}

/// What must be said of each; nothing of the last ones.
const PLANTED: &str = r#"
ignored | #[test] #[ignore = "slow"] fn t() { assert!(true) }
ignored | #[test] #[cfg_attr(unix, ignore)] fn t() { assert!(true) }
returns | #[test] fn t() { let Some(x) = real() else { return }; assert!(x) }
returns | #[tokio::test] async fn t() { if no() { return; } assert!(true) }
returns | proptest! { #![proptest_config(C)] #[test] fn t(a in 0..9, b in 1..2) { let Some(x) = f() else { return Ok(()) }; prop_assert!(x) } }
returns | macro_rules! real { () => { match x() { Some(x) => x, None => return } } } #[test] fn t() { assert!(real!()) }
asks | #[test] fn t() { if Path::new("x").is_dir() { assert!(true) } }
asks | fn real() -> Option<u8> { if !home().exists() { None } else { Some(1) } } #[test] fn t() { assert!(real()) }
asks | fn real() -> Option<String> { std::fs::read_to_string("x").ok() } #[test] fn t() { assert!(real()) }
asks | fn real() { let Ok(all) = fs::read_dir("x") else { return }; check(all) } #[test] fn t() { real(); assert!(true) }
asks | #[test] fn t() { match std::env::var_os("KEY") { Some(_) => assert!(true), None => {} } }
asserts nothing | fn look() -> u8 { 1 } #[test] fn t() { look().unwrap(); println!("assert \"this\""); }
asserts nothing | fn get(x: u8) { assert!(x > 1) } #[test] fn t() { map.get(x); }
says that it skips | #[test] fn t() { assert!(true); println!("skipped: no data"); }
- | #[test] fn t() { assert!(!path.exists()); let f = |x| { if x { return 1; } 2 }; assert_eq!(f(true), 1); }
- | fn close(a: f64) { if a > 1.0 { return; } assert!(a > 0.0) } #[test] fn t() { support::close(1.0) }
- | impl Both { fn same(&self) { go() } } #[test] fn t() { Both::new().same() } fn go() { panic!("{}", 1) }
- | #[test] fn t() { fn go(n: u8) { if n == 0 { return; } go(n - 1) } go(3); read().unwrap_err(); }
- | proptest! { #[test] fn t(a in 0..9) { prop_assert!(a < 9) } }
"#;

#[test]
fn what_would_pass_for_ever_is_found() {
    for line in PLANTED.trim().lines() {
        let (word, code) = line.split_once(" | ").unwrap();
        let mut found = Collected::default();
        found.read("planted", code, true);
        let wrong = found.judge();
        let is_right = match wrong.as_slice() {
            [] => word == "-",
            [said] => said.contains(word),
            _ => false,
        };
        assert!(is_right, "{line}: {wrong:?}");
    }
}

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["src", "tests", "crates/mcp-lane"] {
        walk(&home().join(folder), &mut files);
    }
    files.sort();
    files
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            walk(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// A function of test code, and what stands in it.
#[derive(Default)]
struct Function {
    place: String,
    name: String,
    /// How others name it.
    called: Vec<String>,
    is_test: bool,
    is_ignored: bool,
    /// A `return` of its own, not of a closure in it.
    returns: bool,
    /// Something hangs on whether the machine has a file or a variable.
    asks: bool,
    skips: bool,
    /// Whatever it names: `function` or `macro`, `Type::function`, and `.method`.
    names: Vec<String>,
    closures: usize,
}

impl Function {
    fn of(name: &Ident, attributes: &[Attribute], block: &Block) -> Self {
        let mut function = Self {
            name: name.to_string(),
            ..Self::default()
        };
        for attribute in attributes {
            let last = attribute.path().segments.last().unwrap().ident.to_string();
            function.is_test |= last == "test";
            let conditional = last == "cfg_attr" && words_of(attribute).contains(&"ignore".into());
            function.is_ignored |= last == "ignore" || conditional;
        }
        function.visit_block(block);
        function
    }

    fn asks(&mut self, condition: &Expr) {
        let mut question = Question(false);
        question.visit_expr(condition);
        self.asks |= question.0;
    }
}

impl<'a> Visit<'a> for Function {
    /// Judged by itself.
    fn visit_item(&mut self, _: &'a syn::Item) {}

    fn visit_expr_closure(&mut self, closure: &'a syn::ExprClosure) {
        self.closures += 1;
        visit::visit_expr_closure(self, closure);
        self.closures -= 1;
    }

    fn visit_expr_async(&mut self, block: &'a syn::ExprAsync) {
        self.closures += 1;
        visit::visit_expr_async(self, block);
        self.closures -= 1;
    }

    fn visit_expr_return(&mut self, back: &'a syn::ExprReturn) {
        self.returns |= self.closures == 0;
        visit::visit_expr_return(self, back);
    }

    fn visit_expr_if(&mut self, choice: &'a syn::ExprIf) {
        self.asks(&choice.cond);
        visit::visit_expr_if(self, choice);
    }

    fn visit_expr_match(&mut self, choice: &'a syn::ExprMatch) {
        self.asks(&choice.expr);
        visit::visit_expr_match(self, choice);
    }

    fn visit_local_init(&mut self, init: &'a syn::LocalInit) {
        if init.diverge.is_some() {
            self.asks(&init.expr);
        }
        visit::visit_local_init(self, init);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        self.names.push(format!(".{}", call.method));
        if call.method == "ok" {
            self.asks(&call.receiver);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
        let mut names = path.path.segments.iter().rev().map(|s| s.ident.to_string());
        let name = names.next().unwrap();
        self.names.push(match names.next() {
            Some(of) if of == "Self" => format!(".{name}"),
            Some(of) if of.starts_with(char::is_uppercase) => format!("{of}::{name}"),
            _ => name,
        });
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        let name = call.path.segments.last().unwrap().ident.to_string();
        self.skips |= name.contains("print") && call.tokens.to_string().contains("skip");
        self.names.push(name);
        self.names.extend(words(&call.tokens));
    }
}

/// Whether an expression asks for a file or a variable of the environment.
struct Question(bool);

impl<'a> Visit<'a> for Question {
    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        let asking = ["exists", "try_exists", "is_dir", "is_file"];
        self.0 |= asking.iter().any(|name| call.method == name);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
        let mut segments = path.path.segments.iter();
        self.0 |= segments.any(|s| s.ident == "fs" || s.ident == "var" || s.ident == "var_os");
    }
}

/// The identifiers among tokens, whatever they stand for, without what is quoted.
fn words(tokens: &impl ToString) -> Vec<String> {
    let text = tokens.to_string().replace("\\\"", "");
    let bare = text.split('"').step_by(2);
    let words = bare.flat_map(|part| part.split(|c: char| !(c.is_alphanumeric() || c == '_')));
    words.filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

/// The identifiers in the brackets of an attribute.
fn words_of(attribute: &Attribute) -> Vec<String> {
    let list = attribute.meta.require_list();
    list.map(|l| words(&l.tokens)).unwrap_or_default()
}

/// The tests of one `proptest!`.
struct Properties(Vec<(Vec<Attribute>, Ident, Block)>);

impl Parse for Properties {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut all = Vec::new();
        Attribute::parse_inner(input)?;
        while !input.is_empty() {
            let attributes = Attribute::parse_outer(input)?;
            input.parse::<Token![fn]>()?;
            let name = input.parse()?;
            // The arguments, in which a pattern stands `in` a strategy: no Rust of its own.
            input.step(|at| match at.token_tree() {
                Some((_, rest)) => Ok(((), rest)),
                None => Err(at.error("arguments")),
            })?;
            all.push((attributes, name, input.parse()?));
        }
        Ok(Self(all))
    }
}

/// All functions of test code, and what is wrong with macros there.
#[derive(Default)]
struct Collected {
    place: String,
    in_tests: bool,
    /// The type whose functions are read.
    of: Option<String>,
    functions: Vec<Function>,
    wrong: Vec<String>,
}

impl Collected {
    fn read(&mut self, place: &str, text: &str, in_tests: bool) {
        place.clone_into(&mut self.place);
        self.in_tests = in_tests;
        let file = syn::parse_file(text).unwrap_or_else(|e| panic!("{place}: {e}"));
        self.visit_file(&file);
    }

    fn add(&mut self, name: &Ident, attributes: &[Attribute], block: &Block) {
        if self.in_tests {
            let mut function = Function::of(name, attributes, block);
            function.place.clone_from(&self.place);
            function.called = match &self.of {
                Some(of) => vec![format!("{of}::{name}"), format!(".{name}")],
                None => vec![name.to_string()],
            };
            self.functions.push(function);
        }
    }

    fn judge(mut self) -> Vec<String> {
        let asserting = self.asserting();
        for function in &self.functions {
            let mut say = |what: &str| {
                let at = format!("{}: {}", function.place, function.name);
                self.wrong.push(format!("{at} {what}"));
            };
            if function.is_ignored {
                say("is ignored");
            }
            if function.is_test && function.returns {
                say("returns before its end");
            }
            if function.asks && !MAY_ASK.contains(&function.name.as_str()) {
                say("asks whether something is there, and goes without it");
            }
            if function.skips {
                say("says that it skips");
            }
            if function.is_test && !function.names.iter().any(|n| asserts(n, &asserting)) {
                say("asserts nothing");
            }
        }
        self.wrong
    }

    /// Names of the functions that assert, themselves or through others of test code.
    fn asserting(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        loop {
            let before = found.len();
            for function in &self.functions {
                if function.names.iter().any(|n| asserts(n, &found)) {
                    found.extend(function.called.clone());
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }
}

fn asserts(name: &str, functions: &BTreeSet<String>) -> bool {
    let starts = ["assert", "prop_assert", "panic", "unreachable"];
    starts.iter().any(|s| name.starts_with(s))
        || [".unwrap_err", ".expect_err"].contains(&name)
        || functions.contains(name)
}

impl<'a> Visit<'a> for Collected {
    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        let before = self.in_tests;
        let is_gated =
            |a: &Attribute| a.path().is_ident("cfg") && words_of(a).contains(&"test".into());
        self.in_tests |= module.attrs.iter().any(is_gated);
        visit::visit_item_mod(self, module);
        self.in_tests = before;
    }

    fn visit_item_impl(&mut self, part: &'a syn::ItemImpl) {
        if let syn::Type::Path(of) = part.self_ty.as_ref() {
            self.of = of.path.segments.last().map(|s| s.ident.to_string());
        }
        visit::visit_item_impl(self, part);
        self.of = None;
    }

    fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
        self.add(&function.sig.ident, &function.attrs, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        self.add(&function.sig.ident, &function.attrs, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        let name = &call.path.segments.last().unwrap().ident;
        if name == "proptest" {
            let tests: Properties = call
                .parse_body()
                .unwrap_or_else(|e| panic!("{}: {e}", self.place));
            for (attributes, name, block) in &tests.0 {
                self.add(name, attributes, block);
            }
        }
        if self.in_tests && name == "macro_rules" && words(&call.tokens).contains(&"return".into())
        {
            self.wrong.push(format!(
                "{}: a macro returns from whoever uses it",
                self.place
            ));
        }
    }
}
