/** An answer that is awaited. */
export interface AwaitedAnswer {
  /** `performance.now()` since which it is. */
  readonly since: number;
  /** Ends the connection, and the wait. */
  readonly cut: () => void;
}

/** The answers that the connections of a pool wait for, in the order of their questions. */
export class AwaitedAnswers {
  private readonly awaited = new Set<AwaitedAnswer>();

  begin(cut: () => void): AwaitedAnswer {
    const answer = { since: performance.now(), cut };
    this.awaited.add(answer);
    return answer;
  }

  end(answer: AwaitedAnswer): void {
    this.awaited.delete(answer);
  }

  get waitingSince(): number | undefined {
    for (const { since } of this.awaited) return since;
    return undefined;
  }

  cut(before: number): void {
    for (const answer of this.awaited) {
      if (answer.since >= before) return;
      answer.cut();
    }
  }
}
