const { env } = process;
export const port = env.PORT;
