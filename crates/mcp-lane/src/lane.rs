//! The service: which requests are answered at once, which are made, and which go on.

use crate::body::{Body, Rendered};
use crate::call::Call;
use crate::message::Message;
use crate::meta::{Lifecycle, Metas, is_usual};
use crate::results::{Origin, Results};
use futures_util::future::{BoxFuture, Either, Ready, ready};
use http::{Method, Request, Response};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tower::{Layer, Service};

/// Puts a [`Lane`] before a service. Its clones share what is kept.
#[derive(Clone)]
pub struct LaneLayer<O: Origin> {
    shared: Arc<Shared<O>>,
}

/// Answers calls of tools from what is kept, and hands everything else to the service behind it.
#[derive(Clone)]
pub struct Lane<O: Origin, S> {
    shared: Arc<Shared<O>>,
    behind: S,
}

/// An answer: kept, or to be waited for.
pub type Answer = Either<
    Ready<Result<Response<Body>, Infallible>>,
    BoxFuture<'static, Result<Response<Body>, Infallible>>,
>;

struct Shared<O: Origin> {
    results: Results<O>,
    metas: Metas,
    answers: AtomicU64,
}

impl<O: Origin> LaneLayer<O> {
    /// A lane for the tools of `origin`.
    pub fn new(origin: O) -> Self {
        Self {
            shared: Arc::new(Shared {
                results: Results::new(origin),
                metas: Metas::new(),
                answers: AtomicU64::new(0),
            }),
        }
    }

    /// Calls answered by the lane so far.
    pub fn answers(&self) -> u64 {
        self.shared.answers.load(Ordering::Relaxed)
    }
}

impl<O: Origin, S> Layer<S> for LaneLayer<O> {
    type Service = Lane<O, S>;

    fn layer(&self, behind: S) -> Lane<O, S> {
        Lane {
            shared: Arc::clone(&self.shared),
            behind,
        }
    }
}

impl<O: Origin> Shared<O> {
    /// The call that a request is, where all of it is understood.
    fn read<'r>(&self, request: &'r Request<Message>) -> Option<(Call<'r>, Lifecycle)> {
        if request.method() != Method::POST || !is_usual(request.headers()) {
            return None;
        }
        let call = request.body().call()?;
        let lifecycle = self.metas.lifecycle(request.headers(), &call)?;
        self.results
            .origin
            .takes(call.tool)
            .then_some((call, lifecycle))
    }

    async fn make(&self, request: &Request<Message>) -> Option<Response<Body>> {
        let (call, lifecycle) = self.read(request)?;
        let result = self.results.make(&call, lifecycle).await?;
        Some(self.answer(result, request))
    }

    fn answer(&self, result: Rendered, request: &Request<Message>) -> Response<Body> {
        self.answers.fetch_add(1, Ordering::Relaxed);
        result.answer(request.body())
    }
}

impl<O, S> Service<Request<Message>> for Lane<O, S>
where
    O: Origin,
    S: Service<Request<Message>, Response = Response<Body>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.behind.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Message>) -> Answer {
        let Some((call, lifecycle)) = self.shared.read(&request) else {
            return Either::Right(Box::pin(self.behind.call(request)));
        };
        if let Some(result) = self.shared.results.kept(&call, lifecycle) {
            return Either::Left(ready(Ok(self.shared.answer(result, &request))));
        }
        let shared = Arc::clone(&self.shared);
        // The clone stays; what was polled ready goes.
        let clone = self.behind.clone();
        let mut behind = std::mem::replace(&mut self.behind, clone);
        Either::Right(Box::pin(async move {
            match shared.make(&request).await {
                Some(made) => Ok(made),
                None => behind.call(request).await,
            }
        }))
    }
}
