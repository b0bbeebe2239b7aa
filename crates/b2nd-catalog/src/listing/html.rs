//! Lists directories of plain HTTP servers. For a directory, servers such as nginx, Apache and `python -m http.server` return a page of
//! links.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures::stream::{self, StreamExt};
use html5gum::{Token, Tokenizer};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use url::Url;

use super::filter::{Listing, Names, Unlisted};
use crate::place::{Object, with_user};

/// The maximum size of a page in bytes.
const PAGE: usize = 1 << 28;

/// The maximum number of times that a request is repeated after transient failures. The delays are 0.1 s, 0.2 s, 0.4 s, and so on.
const RETRIES: u32 = 6;

static CLIENT: LazyLock<Client> = LazyLock::new(Client::new);

/// Returns true if the server can list this directory with WebDAV.
pub(super) async fn is_webdav(directory: &Url) -> bool {
    let Ok(method) = Method::from_bytes(b"PROPFIND") else { return false };
    let asked = request(method, directory).header("Depth", "0");
    retried(asked).await.is_ok_and(|(response, _)| response.status() == StatusCode::MULTI_STATUS)
}

/// Returns true if a URL without a final `/` is a directory. This is the case if the server redirects to the URL with `/`. It is also the
/// case if the server answers with an HTML page and the path does not have the ending of a Blosc2 file.
pub(super) async fn is_directory(url: &Url) -> bool {
    let Ok((response, _)) = retried(request(Method::HEAD, url)).await else { return false };
    let answered = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_page = response.status().is_success() && answered.starts_with("text/html") && !Names::default().have(url.path());
    response.url().path().strip_suffix('/') == Some(url.path()) || is_page
}

/// Lists every file below a directory, by following the links on the server's pages. The files of a directory come before the files of its
/// subdirectories.
pub(super) fn walk(directory: Url, names: Names) -> Listing {
    let pages = stream::unfold(vec![directory], move |mut left| {
        let names = names.clone();
        async move {
            let directory = left.pop()?;
            let found = match links(&directory).await {
                Ok(links) => {
                    let (below, files): (Vec<Url>, Vec<Url>) = links.into_iter().partition(|url| url.path().ends_with('/'));
                    left.extend(below.into_iter().rev());
                    files.iter().filter(|url| names.have(url.path())).map(object).collect()
                }
                Err(error) => vec![Err(unlisted(&directory, &error))],
            };
            Some((found, left))
        }
    });
    pages.flat_map(stream::iter).boxed()
}

fn object(url: &Url) -> Result<Object, Unlisted> {
    Object::of(url.as_str()).map_err(|error| unlisted(url, &error))
}

fn unlisted(url: &Url, error: &anyhow::Error) -> Unlisted {
    Unlisted { url: url.to_string(), message: format!("{error:#}") }
}

/// Returns those links on the page of a directory that lead below the directory. Fails if a page has no such links and does not look like
/// the listing of an empty directory.
async fn links(directory: &Url) -> Result<BTreeSet<Url>> {
    let (response, page) = retried(request(Method::GET, directory)).await?;
    let response = response.error_for_status()?;
    // After a redirect, links are relative to the new URL.
    let found = below(response.url(), &page);
    let text = String::from_utf8_lossy(&page).to_ascii_lowercase();
    if found.is_empty() && !["index of", "directory listing"].iter().any(|title| text.contains(title)) {
        bail!("the server does not list this directory: the page has no link to anything in the directory");
    }
    Ok(found)
}

fn below(directory: &Url, page: &[u8]) -> BTreeSet<Url> {
    let links = Tokenizer::new(page).filter_map(|token| match token {
        Ok(Token::StartTag(tag)) if *tag.name == b"a" => {
            let link = tag.attributes.get(b"href".as_slice())?;
            directory.join(std::str::from_utf8(link).ok()?).ok()
        }
        _ => None,
    });
    let is_below = |link: &Url| {
        let rest = link.as_str().strip_prefix(directory.as_str());
        rest.is_some_and(|rest| !rest.is_empty()) && link.query().is_none() && link.fragment().is_none()
    };
    links.filter(is_below).collect()
}

fn request(method: Method, url: &Url) -> RequestBuilder {
    CLIENT.request(method, with_user(url.clone()))
}

/// Sends a request, and repeats it after transient failures. Returns the answer and its body.
async fn retried(request: RequestBuilder) -> Result<(Response, Vec<u8>)> {
    let mut pause = Duration::from_millis(100);
    for _ in 0..RETRIES {
        let again = request.try_clone().context("the request cannot be repeated")?;
        match answer(again).await {
            Ok((response, _)) if is_passing(response.status()) => {}
            Err(error) if error.is::<reqwest::Error>() => {}
            done => return done,
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
    answer(request).await
}

fn is_passing(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED
}

async fn answer(request: RequestBuilder) -> Result<(Response, Vec<u8>)> {
    let mut response = request.send().await?;
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if body.len() + piece.len() > PAGE {
            bail!("its page has more than {PAGE} bytes");
        }
        body.extend_from_slice(&piece);
    }
    Ok((response, body))
}
