/** Waits for the work, at most so many milliseconds. The work goes on by itself; its failure is the caller's to see. */
export async function withinTime(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, end]).finally(() => clearTimeout(timer));
}
