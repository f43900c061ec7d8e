/** How clients pad what they encrypt with RSA. The answer to a log-in uses the padding that the client used. */
export const rsaPaddings = ["OAEP-SHA-256", "OAEP-SHA-1", "PKCS1-v1_5"] as const;

export type RsaPadding = (typeof rsaPaddings)[number];
