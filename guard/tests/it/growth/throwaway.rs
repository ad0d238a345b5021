//! Servers that are started for a test in a folder of their own, with a limit of memory, and gone with it; and a look at
//! the memory of a process and of those that it has started.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Names a Python with `chdb`, in which ClickHouse's engine is.
const PYTHON: &str = "PERIPLUS_TEST_CHDB_PYTHON";
/// Kilobytes of addresses that a server may have.
const MEMORY: u64 = 6 << 20;

/// A server that nobody else uses.
pub(super) struct Server {
    process: Child,
    address: String,
    _folder: TempDir,
}

impl Server {
    /// `None` where the programs aren't there.
    pub(super) fn mariadb() -> Option<Self> {
        let (program, install) = (found("mariadbd")?, found("mariadb-install-db")?);
        let (folder, port) = (given_to("mysql"), free_port());
        let data = folder.path().join("data");
        let installed = Command::new(install)
            .args(["--no-defaults", "--user=mysql", "--skip-test-db", "--auth-root-authentication-method=normal"])
            .arg(format!("--datadir={}", data.display()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        installed.ok().filter(std::process::ExitStatus::success)?;
        let command = format!(
            "ulimit -v {MEMORY}; exec {} --no-defaults --user=mysql --datadir={} --socket={}/s --port={port} \
             --bind-address=127.0.0.1 --innodb-buffer-pool-size=32M --skip-log-bin",
            program.display(),
            data.display(),
            folder.path().display()
        );
        Self::started(&command, format!("mysql://root@127.0.0.1:{port}"), port, folder)
    }

    /// `None` where the programs aren't there.
    pub(super) fn postgres() -> Option<Self> {
        let (program, initdb) = (found("postgres")?, found("initdb")?);
        let (folder, port) = (given_to("postgres"), free_port());
        let data = folder.path().join("data");
        let as_postgres = "setpriv --reuid postgres --regid postgres --clear-groups";
        let made = Command::new("sh")
            .arg("-c")
            .arg(format!("{as_postgres} {} -D {} -A trust -U postgres -N", initdb.display(), data.display()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        made.ok().filter(std::process::ExitStatus::success)?;
        let command = format!(
            "ulimit -v {MEMORY}; exec {as_postgres} {} -D {} -p {port} -k {} -c fsync=off -c shared_buffers=32MB -c jit=off",
            program.display(),
            data.display(),
            folder.path().display()
        );
        Self::started(&command, format!("postgres://postgres@127.0.0.1:{port}/postgres"), port, folder)
    }

    /// `None` where no Python is named that holds the engine.
    pub(super) fn clickhouse() -> Option<Self> {
        let python = std::env::var(PYTHON).ok()?;
        let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci/clickhouse_server.py");
        // The engine takes far more addresses than memory, of which the session bounds what a statement takes.
        let command = format!("exec {python} {} {port} {}", program.display(), folder.path().join("data").display());
        Self::started(&command, format!("clickhouse://default@127.0.0.1:{port}/default"), port, folder)
    }

    fn started(command: &str, address: String, port: u16, folder: TempDir) -> Option<Self> {
        let mut starting = Command::new("sh");
        starting.arg("-c").arg(command).current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Self { process: starting.spawn().ok()?, address, _folder: folder };
        let started = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(started.elapsed() < Duration::from_secs(60), "no server after a minute: {command}");
            std::thread::sleep(Duration::from_millis(100));
        }
        // The door is open a little before somebody is behind it.
        std::thread::sleep(Duration::from_secs(1));
        Some(server)
    }

    pub(super) fn address(&self) -> String {
        self.address.clone()
    }

    pub(super) fn process(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // PostgreSQL takes its other processes with it only where it is asked.
        let asked = Command::new("kill").args(["-QUIT", &self.process.id().to_string()]).status();
        std::thread::sleep(Duration::from_millis(500));
        if self.process.try_wait().is_ok_and(|ended| ended.is_none()) || asked.is_err() {
            let _killed = self.process.kill();
        }
        let _ended = self.process.wait();
    }
}

fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(["/usr/sbin", "/usr/bin"].map(PathBuf::from));
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    folders.extend(versions.map(|version| version.path().join("bin")));
    folders.into_iter().map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// A folder that a server's own user may write to.
fn given_to(user: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let given = Command::new("chown").arg(user).arg(folder.path()).status();
    assert!(given.is_ok_and(|given| given.success()), "the folder can't be given to {user}");
    folder
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A process and its children, looked at again and again.
pub(super) struct Watched {
    over: Arc<AtomicBool>,
    most: Arc<AtomicU64>,
    process: String,
    watching: Option<JoinHandle<()>>,
}

impl Watched {
    /// `process` is a number, or `self`.
    pub(super) fn of(process: &str) -> Self {
        let (over, most) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (until, highest, watched) = (Arc::clone(&over), Arc::clone(&most), process.to_owned());
        let watching = std::thread::spawn(move || {
            while !until.load(Ordering::Relaxed) {
                highest.fetch_max(anonymous_bytes(&watched), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(3));
            }
        });
        Self { over, most, process: process.to_owned(), watching: Some(watching) }
    }

    /// What is held now, from which on the most is looked for.
    pub(super) fn start(&self) -> u64 {
        let now = anonymous_bytes(&self.process);
        self.most.store(now, Ordering::Relaxed);
        now
    }

    pub(super) fn most_since(&self, before: u64) -> u64 {
        self.most.load(Ordering::Relaxed).saturating_sub(before)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(watching) = self.watching.take() {
            let _ended = watching.join();
        }
    }
}

/// Memory of its own that a process and its children hold.
fn anonymous_bytes(process: &str) -> u64 {
    let own = of_one(process);
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    own + children.split_whitespace().map(of_one).sum::<u64>()
}

fn of_one(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|figure| figure.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
