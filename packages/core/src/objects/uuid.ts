const uuid = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;

/** Whether a text has the form of a UUID, in any case. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
