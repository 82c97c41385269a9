/**
 * Counts the rows that the statements of one connection visit, so that a way to evaluate a search can be given up for
 * another one when it takes long: the decision rests on actual visits, not on statistics that a client could distort.
 */

/** More rows were visited than an attempt may. */
class TooManyRows extends Error {
  override readonly name = 'TooManyRows'
}

export class VisitedRows {
  #count = 0
  #most = Number.POSITIVE_INFINITY

  /** Rows visited since the connection was opened. */
  get count(): number {
    return this.#count
  }

  /**
   * Counts one row. @returns 1, which is true in SQL
   * @throws TooManyRows, which ends the statement
   */
  visit(): 1 {
    this.#count += 1
    if (this.#count > this.#most) throw new TooManyRows('An attempt has visited too many rows')
    return 1
  }

  /**
   * Counts rows that a statement has visited without a call for each of them.
   * @throws TooManyRows
   */
  visitAll(rows: number): void {
    this.#count += rows
    if (this.#count > this.#most) throw new TooManyRows('An attempt has visited too many rows')
  }

  /**
   * Ends an attempt (`within`) that has turned out to be more work than another way.
   * @throws TooManyRows
   */
  giveUp(): never {
    throw new TooManyRows('An attempt is given up')
  }

  /** The result of `work`; undefined when its statements would visit more than `rows` rows. */
  within<T extends object | number>(rows: number, work: () => T): T | undefined {
    const outer = this.#most
    this.#most = Math.min(outer, this.#count + rows)
    try {
      return work()
    } catch (error) {
      if (error instanceof TooManyRows && this.#count <= outer) return undefined
      throw error
    } finally {
      this.#most = outer
    }
  }
}
