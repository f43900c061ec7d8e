import { notImplemented } from "../not-implemented.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/storage").AdmissionRepository} */
export const admissionRepository = (access) => ({
  async admit(request) {
    return notImplemented("admission.admit");
  },

  async admitCallback(state) {
    return notImplemented("admission.admitCallback");
  },
});
