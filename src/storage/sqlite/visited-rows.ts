/**
 * The rows that the statements of one connection visit. They are counted, so that a way to evaluate a search which turns
 * out to be long can be given up for another one: what decides is what was met, not statistics that a client could make
 * wrong.
 */

/** More rows were visited than an attempt may. */
class TooManyRows extends Error {
  override readonly name = 'TooManyRows'
}

export class VisitedRows {
  #count = 0
  #most = Number.POSITIVE_INFINITY

  /** Since the connection was opened. */
  get count(): number {
    return this.#count
  }

  /**
   * To be called for each row; 1, which is true in SQL.
   * @throws TooManyRows, which ends the statement
   */
  visit(): 1 {
    this.#count += 1
    if (this.#count > this.#most) throw new TooManyRows('An attempt has visited too many rows')
    return 1
  }

  /**
   * For rows that a statement has visited without calling for each of them.
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

  /** What `work` returns; undefined when its statements would visit more than `rows` rows. */
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
