/** Tracks the smallest scenario that still differs. */
export class ShrunkScenario<Scenario> {
  private tries = 0;

  constructor(
    public scenario: Scenario,
    private readonly differs: (smaller: Scenario) => Promise<boolean>,
    private readonly maxTries: number,
  ) {}

  /** Tries a smaller scenario unless the limit of tries is reached. Returns whether it became the smallest. */
  async attempt(smaller: Scenario): Promise<boolean> {
    if (this.tries === this.maxTries) return false;
    this.tries += 1;
    const differs = await this.differs(smaller);
    if (differs) this.scenario = smaller;
    return differs;
  }
}
