import type { Application } from "@sallyport/http";
import { Metrics } from "./metrics.ts";

const request = {
  requestId: "r",
  method: "GET",
  alias: "",
  route: "/v1/login",
  status: 200,
  code: 0,
  duration: 12,
  address: "::1",
} as const;

test("requests are counted and timed by known routes and codes, never by client input", async () => {
  const metrics = new Metrics();
  metrics.answered(request);
  metrics.answered({ ...request, route: null, method: "INVENTED", status: 404, code: 304 });
  const { text, contentType } = await metrics.text();
  expect(contentType).toMatch(/^text\/plain/);
  expect(text).toContain('sallyport_requests_total{route="/v1/login",method="GET",status="200",code="0"} 1');
  expect(text).toContain('sallyport_requests_total{route="none",method="any",status="404",code="304"} 1');
  expect(text).toContain('sallyport_request_duration_seconds_bucket{le="0.025",route="/v1/login"} 1');
  expect(text).not.toContain("INVENTED");
});

test("items of multi requests are counted by known routes and codes, too", async () => {
  const metrics = new Metrics();
  const read = { route: "/v1/object/{idOrClass}", method: "GET", status: 200, code: 0 } as const;
  metrics.answered({
    ...request,
    method: "POST",
    route: "/v1/multi",
    items: [read, read, { route: null, method: null, status: 404, code: 304 }],
  });
  const { text } = await metrics.text();
  expect(text).toContain('sallyport_requests_total{route="/v1/multi",method="POST",status="200",code="0"} 1');
  expect(text).toContain(
    'sallyport_multi_items_total{route="/v1/object/{idOrClass}",method="GET",status="200",code="0"} 2',
  );
  expect(text).toContain('sallyport_multi_items_total{route="none",method="any",status="404",code="304"} 1');
});

test("gauges are read on request", async () => {
  const metrics = new Metrics();
  const load = { current: 3 };
  const connections = { size: 9, dropped: 0 };
  metrics.watchLoad({
    load,
    connections,
    incompleteBodies: { current: 4 },
    sendBufferBytes: { current: 8 },
  } as Application);
  metrics.watchPools(() => new Map([["postgres://h/d", { total: 4, idle: 1, waiting: 2 }]]));
  metrics.watchPasswords(() => 5);
  load.current = 7;
  connections.dropped = 6;
  const { text } = await metrics.text();
  expect(text).toContain("sallyport_requests_in_flight 7");
  expect(text).toContain("sallyport_incomplete_bodies 4");
  expect(text).toContain("sallyport_connections 9");
  expect(text).toContain("sallyport_connections_dropped_total 6");
  expect((await metrics.text()).text).toContain("sallyport_connections_dropped_total 6");
  expect(text).toContain('sallyport_pool_connections{pool="postgres://h/d"} 4');
  expect(text).toContain('sallyport_pool_waiting{pool="postgres://h/d"} 2');
  expect(text).toContain("sallyport_password_hashes_pending 5");
  expect(text).toContain("nodejs_eventloop_lag_p99_seconds");
});
