/** The gate that those hold who give out secrets under a limit for all. */
export const gateOfAllSecrets = -1;

/** Gates that subjects share by a checksum: few enough to be there from the start. */
export const subjectGates = 256;

export const oneTimeGates: readonly number[] = [
  gateOfAllSecrets,
  ...Array.from({ length: subjectGates }, (_, gate) => gate),
];
