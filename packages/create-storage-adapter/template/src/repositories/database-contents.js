import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").DatabaseContents} */
export const databaseContents = (access) => ({
  async isEmpty() {
    return notWritten("contents.isEmpty");
  },
});
