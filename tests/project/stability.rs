//! The table on the page about stability, compared with the list of public items.

use std::fs;

/// The row of the page's table whose second cell starts with these words.
fn row<'a>(page: &'a str, words: &str) -> &'a str {
    page.lines().find(|line| line.contains(&format!("| {words}"))).unwrap()
}

#[test]
fn each_public_enum_is_where_the_page_says_whether_it_may_grow() {
    let page = fs::read_to_string("src/docs/stability.md").unwrap();
    let items = fs::read_to_string("tests/public-api/items.txt").unwrap();
    for (start, words) in
        [("#[non_exhaustive] pub enum b2nd::", "may get variants"), ("pub enum b2nd::", "does not change: a `match`")]
    {
        let enums = items.lines().filter_map(|item| item.strip_prefix(start)).map(|path| path.split('<').next().unwrap());
        let mut enums: Vec<String> = enums.map(|path| format!("(crate::{path})")).collect();
        let links = row(&page, words).split('[').skip(1).filter_map(|link| link.split("](").nth(1));
        let mut links: Vec<String> = links.map(|link| format!("({})", link.split(')').next().unwrap())).collect();
        enums.sort();
        links.sort();
        assert_eq!(links, enums, "{words}");
    }
}

#[test]
fn each_public_trait_is_where_the_page_says_whether_to_implement_it() {
    let page = fs::read_to_string("src/docs/stability.md").unwrap();
    let items = fs::read_to_string("tests/public-api/items.txt").unwrap();
    let traits = items.lines().filter_map(|item| item.strip_prefix("pub trait b2nd::"));
    for path in traits.map(|item| item.split(": ").next().unwrap()) {
        assert!(row(&page, "may get methods").contains(&format!("(crate::{path})")), "{path}");
    }
}
