import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").OutboxRepository} */
export const outboxRepository = (access) => ({
  async put(sealedOrder, options) {
    return notWritten("outbox.put");
  },

  async claim(limit, lease) {
    return notWritten("outbox.claim");
  },

  async replace(id, attempts, sealedOrder) {
    return notWritten("outbox.replace");
  },

  async done(id, attempts) {
    return notWritten("outbox.done");
  },

  async postpone(id, attempts, delay, blame) {
    return notWritten("outbox.postpone");
  },

  async waiting() {
    return notWritten("outbox.waiting");
  },

  async sweep(limit) {
    return notWritten("outbox.sweep");
  },
});
