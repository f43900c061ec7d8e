/** Port: passwords that everybody knows because they stand in published lists. */
export interface BreachedPasswords {
  /** Whether the password with this MD5, 32 lower-case hexadecimal digits, is one of them. */
  has(md5: string): boolean;
}
