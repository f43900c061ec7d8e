/* Keeps the files of the page at /docs/offline for times without a server. Requests for data pass. */
"use strict";

const cacheName = "offline page";
const files = ["offline", "offline.css", "offline.js"].map((file) => new URL(file, location.href).href);

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(files)));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { url, method } = event.request;
  if (method === "GET" && files.includes(url.split(/[?#]/)[0])) event.respondWith(fresh(event.request));
});

/** The server's file, or else the one that is kept. */
async function fresh(request) {
  const cache = await caches.open(cacheName);
  try {
    const answer = await fetch(request);
    if (!answer.ok) throw new Error(answer.statusText);
    await cache.put(request, answer.clone());
    return answer;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept === undefined) throw error;
    return kept;
  }
}
