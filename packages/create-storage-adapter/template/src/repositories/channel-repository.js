import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").ChannelRepository} */
export const channelRepository = (access) => ({
  async reserveOut(session, count) {
    return notWritten("channels.reserveOut");
  },

  async acceptIn(session, number) {
    return notWritten("channels.acceptIn");
  },

  async claimBlocks(claim, limits) {
    return notWritten("channels.claimBlocks");
  },

  async sweepBlocks(acceptedKeyIds, age, limit) {
    return notWritten("channels.sweepBlocks");
  },
});
