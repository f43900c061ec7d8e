import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").DepartureRepository} */
export const departureRepository = (access) => ({
  async hold(ids, by) {
    return notWritten("departures.hold");
  },

  async referrers(ids, query) {
    return notWritten("departures.referrers");
  },

  async clear(links) {
    return notWritten("departures.clear");
  },

  async depart(ids, how) {
    return notWritten("departures.depart");
  },

  async find(reference, visibility) {
    return notWritten("departures.find");
  },

  async recycledWith(id, by) {
    return notWritten("departures.recycledWith");
  },

  async targets(ids) {
    return notWritten("departures.targets");
  },

  async listRecycled(page) {
    return notWritten("departures.listRecycled");
  },

  async purge(ids) {
    return notWritten("departures.purge");
  },

  async countRecycled(classes) {
    return notWritten("departures.countRecycled");
  },

  async restore(objects) {
    return notWritten("departures.restore");
  },
});
