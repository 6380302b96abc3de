//! Long work beside the interpreter: it runs on threads of its own, while the thread that asked for it, which is the only
//! one that hears Ctrl-C, looks every now and then whether it should stop, and tells Python how far it is.

use crate::errors::exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

/// How often the interpreter is asked.
const EVERY: Duration = Duration::from_millis(50);

/// How far work is: what is done, how much of how much, and the bound where there is one.
pub struct ProgressReport {
    /// In words.
    pub step: String,
    /// So many,
    pub done: usize,
    /// of so many, where that is known.
    pub total: Option<usize>,
    /// In scaled units.
    pub bound: Option<f64>,
}

/// A flag that work on other threads of this process looks at. A copy in another process is another flag.
#[pyclass(frozen, name = "Stop", module = "tangency._tangency")]
#[derive(Default)]
pub struct StopFlag {
    set: Arc<AtomicBool>,
}

#[pymethods]
impl StopFlag {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Asks the work to end.
    fn set(&self) {
        self.set.store(true, Ordering::Relaxed);
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, ()) {
        (py.get_type::<Self>(), ())
    }
}

/// Between the work and the one who attends to it.
#[derive(Default)]
pub struct Watcher {
    stop: Arc<AtomicBool>,
    news: Mutex<Option<ProgressReport>>,
    wanted: bool,
    /// Whether the work has heard that it should end.
    heard: AtomicBool,
}

impl Watcher {
    /// Whether the work should end.
    pub fn stopped(&self) -> bool {
        let stopped = self.stop.load(Ordering::Relaxed);
        if stopped {
            self.heard.store(true, Ordering::Relaxed);
        }
        stopped
    }

    /// Tells how far the work is, and hears whether it should go on.
    pub fn tell(&self, news: impl FnOnce() -> ProgressReport) -> ControlFlow<()> {
        if self.wanted
            && let Ok(mut slot) = self.news.lock()
        {
            *slot = Some(news());
        }
        if self.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn pass_on(&self, py: Python<'_>, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        py.check_signals()?;
        let news = self.news.lock().ok().and_then(|mut slot| slot.take());
        if let (Some(progress), Some(ProgressReport { step, done, total, bound })) = (progress, news) {
            progress.call1(py, (step, done, total, bound))?;
        }
        Ok(())
    }
}

/// So many threads.
pub fn pool(threads: usize) -> PyResult<rayon::ThreadPool> {
    let too_many =
        |error| PyValueError::new_err(format!("so many threads cannot be started ({error}); use a smaller n_jobs"));
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(too_many)
}

/// Does the work on this many threads. Ctrl-C asks it to stop, and what it then returns is the result; work that did not look
/// has no result then. Any other exception, from the handler of progress, is raised once the work has stopped.
pub fn attend<T: Send>(
    py: Python<'_>,
    threads: usize,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Watcher) -> tangency::Result<T> + Send,
) -> PyResult<T> {
    attend_until(py, None, threads, progress, work)
}

/// The same for work that this flag ends too.
pub fn attend_until<T: Send>(
    py: Python<'_>,
    stop: Option<&StopFlag>,
    threads: usize,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Watcher) -> tangency::Result<T> + Send,
) -> PyResult<T> {
    let flag = stop.map(|stop| stop.set.clone()).unwrap_or_default();
    let watch = Watcher { stop: flag, wanted: progress.is_some(), ..Watcher::default() };
    let mut raised = None;
    let outcome = py.detach(|| {
        let (ended, end) = mpsc::channel::<()>();
        let pool = pool(threads)?;
        std::thread::scope(|scope| {
            let (pool, shared) = (&pool, &watch);
            let worker = scope.spawn(move || {
                let _ended = ended;
                pool.install(|| work(shared))
            });
            // the channel closes when the work is over, however it ends
            while let Err(mpsc::RecvTimeoutError::Timeout) = end.recv_timeout(EVERY) {
                if let Err(error) = Python::attach(|py| watch.pass_on(py, progress)) {
                    watch.stop.store(true, Ordering::Relaxed);
                    raised = raised.take().or(Some(error));
                }
            }
            worker
                .join()
                .map_err(|_| PyRuntimeError::new_err("tangency came to a state that should not be; please report it"))
        })
    })?;
    match raised {
        Some(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) || !watch.heard.load(Ordering::Relaxed) => {
            Err(error)
        }
        _ => outcome.map_err(exception),
    }
}
