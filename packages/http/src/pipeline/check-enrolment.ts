import { isEnrolling, ServiceError } from "@sallyport/core";
import type { Step } from "./step.ts";

/** 340 for whatever a session is not good for that was opened to set up a second factor; in a secure session that is encrypted like any answer. */
export const checkEnrolment: Step = ({ access, admission: { session }, route }) => {
  if (access === "session" && session !== null && isEnrolling(session) && route.whileEnrolling !== true)
    throw new ServiceError(340);
};
