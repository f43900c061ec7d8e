import { notWritten } from "../not-written.js";

/** @type {(access: import("../access.js").Access) => import("@sallyport/core").AdmissionRepository} */
export const admissionRepository = (access) => ({
  async admit(request) {
    return notWritten("admission.admit");
  },

  async admitReturn(state) {
    return notWritten("admission.admitReturn");
  },
});
