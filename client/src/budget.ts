/** A call's highest price doesn't fit into what is left of the budget. The call was not sent. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
  readonly needed: number;
  readonly left: number;

  constructor(needed: number, left: number) {
    super(`The call can cost ${needed} tokens, and the budget has ${left} left.`);
    this.needed = needed;
    this.left = left;
  }
}

/** Tokens kept for a call until its cost is known. */
export type Reservation = { readonly ceiling: number; settle(tokens: number): void };

/** A number of tokens that calls together never exceed. Clients can share one. */
export class Budget {
  readonly limit: number;
  #used = 0;
  #reserved = 0;
  /** By the id of an export in progress, or by the Idempotency-Key of a POST without a result. */
  readonly #kept = new Map<string, Reservation>();

  constructor(limit: number) {
    if (!Number.isFinite(limit) || limit < 0) throw new RangeError('A budget is 0 tokens or more.');
    this.limit = limit;
  }

  /** Tokens that finished calls have cost. Includes the highest price of calls whose cost is unknown. */
  get used(): number {
    return this.#used;
  }

  /** Tokens that are neither used nor reserved for calls in progress. */
  get left(): number {
    return this.limit - this.#used - this.#reserved;
  }

  /** @throws BudgetError */
  reserve(ceiling: number): Reservation {
    if (ceiling > this.left) throw new BudgetError(ceiling, this.left);
    this.#reserved += ceiling;
    let isOpen = true;
    return {
      ceiling,
      settle: tokens => {
        if (!isOpen) return;
        isOpen = false;
        this.#reserved -= ceiling;
        this.#used += tokens;
      },
    };
  }

  /** Keeps a reservation for a later response. Its tokens stay reserved until then. */
  keep(name: string, reservation: Reservation): void {
    this.#kept.set(name, reservation);
  }

  keptFor(name: string | undefined): Reservation | undefined {
    return name === undefined ? undefined : this.#kept.get(name);
  }

  forget(name: string | undefined): void {
    if (name !== undefined) this.#kept.delete(name);
  }
}
