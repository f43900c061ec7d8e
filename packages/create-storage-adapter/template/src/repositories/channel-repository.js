import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").ChannelRepository} */
export const channelRepository = (access) => ({
  async reserveOut(session, count) {
    return notImplemented("channels.reserveOut");
  },

  async acceptIn(session, number) {
    return notImplemented("channels.acceptIn");
  },

  async registerBlocks(message, limits) {
    return notImplemented("channels.registerBlocks");
  },

  async sweepBlocks(acceptedKeyIds, age, limit) {
    return notImplemented("channels.sweepBlocks");
  },
});
