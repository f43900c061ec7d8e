export {
  type Admission,
  type AdmissionRepository,
  type AdmissionRequest,
  refuseMaintenance,
  type ReturnAdmission,
} from "./admission-repository.ts";
