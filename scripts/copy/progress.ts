/** The progress of a long task: a progress bar on a terminal, else a line from time to time. */

const REDRAW_INTERVAL_MS = 100
const LINE_INTERVAL_MS = 10_000
const WIDTH = 30

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

export class Progress {
  readonly #what: string
  readonly #total: number
  readonly #output: Output
  readonly #started = Date.now()
  readonly #begun: number
  #done: number
  #shown = 0

  /** @param done the part done by an earlier run */
  constructor(what: string, total: number, done = 0, output: Output = process.stdout) {
    this.#what = what
    this.#total = total
    this.#begun = done
    this.#done = done
    this.#output = output
    this.#show()
  }

  add(count: number): void {
    this.#done += count
    if (Date.now() - this.#shown >= (this.#output.isTTY ? REDRAW_INTERVAL_MS : LINE_INTERVAL_MS)) this.#show()
  }

  end(): void {
    this.#show()
    if (this.#output.isTTY) this.#output.write('\n')
  }

  #show(): void {
    this.#shown = Date.now()
    // Erases to the end of the line, as the previous text may have been longer.
    this.#output.write(this.#output.isTTY ? `\r${this.#bar()} ${this.#text()}\u001b[K` : `${this.#text()}\n`)
  }

  #bar(): string {
    const full = Math.round(WIDTH * this.#share())
    return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}]`
  }

  #text(): string {
    const { format } = new Intl.NumberFormat('en-US')
    const percent = Math.floor(100 * this.#share())
    const rate = (this.#done - this.#begun) / Math.max(1, Date.now() - this.#started)
    const left = this.#total - this.#done
    const seconds = rate > 0 && left > 0 ? `, ${format(Math.ceil(left / rate / 1000))} s left` : ''
    return `${this.#what}: ${percent} % (${format(this.#done)} of ${format(this.#total)}${seconds})`
  }

  /** At most 1, as the total may grow meanwhile. */
  #share(): number {
    return this.#total === 0 ? 1 : Math.min(1, this.#done / this.#total)
  }
}
