/* The page at /docs/offline: logs in, keeps the device's copy in step with the server, and tells what happens. */
import { SallyportClient } from "@sallyport/client";
import { sync, SyncStore } from "@sallyport/client/sync";
import { indexedDbStorage } from "@sallyport/client/sync/indexeddb";
import { afterFailure, usualPause } from "./after-failure.js";
import { newsOf } from "./news.js";
import { CustomerView } from "./customer-view.js";

const schema = "sales";
/** Seconds of a long poll. */
const wait = 20;

const base = new URL("..", location.href);
/** Remembers whose copy a reload shows. */
const userKey = `offline user of ${base.pathname}`;
const [form, status, controls, paused, news, main] = ["#log-in", "#status", "#controls", "#pause", "#news", "main"].map(
  (each) => document.querySelector(each),
);

/** `{ user, store, view }` while a copy is shown, with `client` while logged in. */
let device = null;
/** Ends the synchronization that runs. */
let running = new AbortController();
let isOnline = false;
/** Seconds until the next attempt. */
let pause = usualPause;
let progress = "";

function tell() {
  const waiting = device?.view.pending ?? 0;
  const edits = `${waiting} ${waiting === 1 ? "change waits" : "changes wait"}`;
  const forLogIn = waiting === 0 ? "It waits for your log-in to synchronize." : `${edits} for your log-in.`;
  const [state, title, detail] =
    device === null
      ? ["none", "Not logged in.", "Log in once with the server running. Afterwards this page works without it."]
      : paused.checked || (!isOnline && device.client !== undefined)
        ? ["offline", "Offline.", waiting === 0 ? "You can work as usual." : `${edits} for the server.`]
        : device.client === undefined
          ? ["none", `Copy of ${device.user}.`, forLogIn]
          : progress !== ""
            ? ["busy", "Synchronizing.", progress]
            : waiting > 0
              ? ["busy", "Sending.", `${edits}.`]
              : ["online", "Synchronized.", "Changes travel at once."];
  status.dataset.state = state;
  status.dataset.waiting = String(waiting);
  status.querySelector("strong").textContent = title;
  status.querySelector("span").textContent = detail;
  form.hidden = device?.client !== undefined;
  controls.hidden = device === null;
  main.hidden = device === null;
}

function report(lines) {
  const list = news.querySelector("ul");
  for (const line of lines) {
    const item = document.createElement("li");
    item.textContent = line;
    list.prepend(item);
  }
  news.hidden = list.childElementCount === 0;
}

function close() {
  device?.unsubscribe();
  device?.view.clear();
  device = null;
}

/** Shows the copy of a user. */
async function open(user) {
  close();
  const store = new SyncStore(await indexedDbStorage(`sallyport offline ${base.pathname} ${user}`));
  const view = new CustomerView(store, schema);
  await view.load();
  let isLoading = false;
  const unsubscribe = store.subscribe(async () => {
    if (isLoading) return;
    isLoading = true;
    // Pages of a pull come fast.
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    isLoading = false;
    await view.load();
    tell();
  });
  device = { user, store, view, unsubscribe };
  localStorage.setItem(userKey, user);
}

/** Keeps the copy in step with the server until the user logs out. */
async function follow(own) {
  while (device === own) {
    running = new AbortController();
    pause = usualPause;
    if (paused.checked || !navigator.onLine) isOnline = false;
    else await exchange(own, running.signal);
    tell();
    if (!isOnline) await rest(running.signal);
  }
}

async function exchange(own, signal) {
  const { client, store, view } = own;
  try {
    const onProgress = ({ pulled }) => {
      if (pulled > 0) progress = `${pulled.toLocaleString("en")} objects received.`;
      tell();
    };
    const outcome = await sync({ client, schema, store, signal, onProgress, retries: 0, wait: isOnline ? wait : 0 });
    isOnline = true;
    report(newsOf(outcome, view));
    await outcome.confirm();
  } catch (error) {
    isOnline = false;
    const { seconds, reason } = afterFailure(error);
    if (reason === undefined) {
      pause = seconds;
      return;
    }
    report([`${reason} Log in to send your changes.`]);
    own.client = undefined;
    if (device === own) device = { ...own };
  } finally {
    progress = "";
  }
}

/** Waits for the next attempt, or until there is a reason for one. */
function rest(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", resolve, { once: true });
    setTimeout(resolve, pause * 1_000);
  });
}

/** Starts over at once: the network or the wish of the user has changed. */
function turn() {
  running.abort();
  tell();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { appKey, user, password } = Object.fromEntries(new FormData(form));
  const client = new SallyportClient({ baseUrl: base.href, appKey });
  try {
    await client.logIn({ mode: "session", user, password, appNames: ["demo-app"] });
  } catch (error) {
    return report([`You are not logged in: ${error.message}`]);
  }
  if (device?.user !== user) await open(user);
  device = { ...device, client };
  void follow(device);
});

document.querySelector("#log-out").addEventListener("click", async () => {
  const { client } = device;
  close();
  localStorage.removeItem(userKey);
  turn();
  await client?.logOut().catch(() => {});
});
news.querySelector("button").addEventListener("click", () => {
  news.querySelector("ul").replaceChildren();
  news.hidden = true;
});
paused.addEventListener("change", turn);
for (const event of ["online", "offline"]) window.addEventListener(event, turn);

// Without it, such as in a private window, the page needs the server after a reload.
void navigator.serviceWorker?.register("offline-worker.js", { scope: "offline" }).catch(() => {});
const known = localStorage.getItem(userKey);
if (known !== null) await open(known);
tell();
