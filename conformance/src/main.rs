//! `b2nd-conformance`: runs adapters on the cases. `--help` lists the options.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use std::{env, fs, io};

use b2nd_conformance::run::{Adapter, Limits, run};
use b2nd_conformance::{Case, Differ, Layer, recipes, report};

fn help() -> String {
    let Limits { time, memory, .. } = Limits::default();
    let (seconds, mebibytes) = (time.as_secs(), memory >> 20);
    format!(
        "\
Usage: b2nd-conformance [OPTIONS] [NAME=]COMMAND...

An adapter is a command that reads a case: `COMMAND LAYER PATH` prints tagged JSON and exits with 0, or prints a reason to standard
error and exits with 1; exit code 2 means that it does not read this layer. `COMMAND --encode LAYER` turns tagged JSON from standard
input into bytes. If the last argument is --serve, a process answers each line `LAYER<TAB>PATH` with `ok JSON`, `no REASON` or `skip`.

  --cases DIR        the directory of the cases (conformance/cases)
  --layer NAME       only this layer; may be repeated
  --only TEXT        only cases whose names contain TEXT
  --skip NAME=FILE   skips the cases in FILE for the adapter NAME: `layer/name`, one per line
  --time SECONDS     limits the time for one request to an adapter ({seconds})
  --memory MIB       on Unix, limits the address space of an adapter's process; 0 means no limit ({mebibytes})
  --jobs N           the number of cases that run at the same time (the number of processors)
  --markdown FILE    also writes the results as a Markdown page
  --junit FILE       also writes the results as JUnit XML
  --make DIR         deletes the cases in DIR, and creates them from the recipes and from differences.json next to DIR
"
    )
}

#[derive(Default)]
struct Options {
    cases: Option<PathBuf>,
    layers: Vec<Layer>,
    only: Option<String>,
    skip: Vec<String>,
    limits: Limits,
    markdown: Option<PathBuf>,
    junit: Option<PathBuf>,
    make: Option<PathBuf>,
    adapters: Vec<Adapter>,
}

fn options() -> Result<Options, String> {
    let mut options = Options::default();
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("{argument}: expected a uint64, found {text:?}"));
        match argument.as_str() {
            "--cases" => options.cases = Some(value()?.into()),
            "--layer" => {
                let name = value()?;
                let unknown = || format!("unknown layer {name:?}: expected one of {:?}", Layer::ALL.map(Layer::name));
                options.layers.push(Layer::parse(&name).ok_or_else(unknown)?);
            }
            "--only" => options.only = Some(value()?),
            "--skip" => options.skip.push(value()?),
            "--time" => options.limits.time = Duration::from_secs(number(value()?)?),
            "--memory" => options.limits.memory = number(value()?)? << 20,
            "--jobs" => options.limits.jobs = usize::try_from(number(value()?)?).unwrap_or(options.limits.jobs),
            "--markdown" => options.markdown = Some(value()?.into()),
            "--junit" => options.junit = Some(value()?.into()),
            "--make" => options.make = Some(value()?.into()),
            flag if flag.starts_with('-') => return Err(format!("unknown option {flag}: --help lists the options")),
            adapter => options.adapters.push(Adapter::parse(adapter)),
        }
    }
    for pair in &options.skip {
        let (name, file) = pair.split_once('=').ok_or_else(|| format!("--skip {pair}: expected NAME=FILE"))?;
        if !options.adapters.iter().any(|adapter| adapter.name == name) {
            return Err(format!("--skip {pair}: no adapter has the name {name:?}"));
        }
        let list = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        options.adapters.iter_mut().filter(|adapter| adapter.name == name).for_each(|adapter| adapter.skip(&list));
    }
    Ok(options)
}

fn make(directory: &Path) -> Result<(), String> {
    let differences = Differ::read(&directory.with_file_name("differences.json"))?;
    let named = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    for layer in Layer::ALL {
        let folder = directory.join(layer.name());
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| named(&folder, error))?;
        }
    }
    let cases = recipes::all();
    for case in &cases {
        case.write(directory, &differences).map_err(|error| named(directory, error))?;
    }
    println!("{} cases", cases.len());
    Ok(())
}

fn start() -> Result<ExitCode, String> {
    if env::args().len() < 2 || env::args().skip(1).any(|argument| argument == "--help" || argument == "-h") {
        print!("{}", help());
        return Ok(ExitCode::SUCCESS);
    }
    let options = options()?;
    if let Some(directory) = &options.make {
        make(directory)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut cases = Case::all(options.cases.as_deref().unwrap_or(Path::new("conformance/cases")))?;
    cases.retain(|case| options.layers.is_empty() || options.layers.contains(&case.layer));
    cases.retain(|case| options.only.as_ref().is_none_or(|text| case.name.contains(text)));
    let mut columns = Vec::new();
    for adapter in &options.adapters {
        let outcomes = run(adapter, &cases, options.limits).map_err(|error| format!("{}: {error}", adapter.name))?;
        columns.push((adapter.name.clone(), outcomes));
    }
    print!("{}", report::table(&cases, &columns));
    for (file, page) in
        [(&options.markdown, report::markdown(&cases, &columns)), (&options.junit, report::junit(&cases, &columns))]
    {
        if let Some(file) = file {
            fs::write(file, page).map_err(|error| format!("{}: {error}", file.display()))?;
        }
    }
    let all = columns.iter().flat_map(|(_, outcomes)| outcomes);
    let failed = all.clone().filter(|outcome| outcome.is_failure()).count();
    let skipped = all.clone().filter(|outcome| matches!(outcome, b2nd_conformance::run::Outcome::Skipped)).count();
    println!("{} passed, {failed} failed (known differences count as passed)", all.count() - failed - skipped);
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn main() -> ExitCode {
    match start() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
