/** How far a long piece of work is: a bar that is redrawn on a terminal, a line now and then elsewhere. */

/** Milliseconds. */
const REDRAWN_EVERY = 100
const LINE_EVERY = 10_000
const WIDTH = 30

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

export class Progress {
  private readonly what: string
  private readonly total: number
  private readonly output: Output
  private readonly started = Date.now()
  private readonly begun: number
  private done: number
  private shown = 0

  /** @param done what an earlier run has done already */
  constructor(what: string, total: number, done = 0, output: Output = process.stdout) {
    this.what = what
    this.total = total
    this.begun = done
    this.done = done
    this.output = output
    this.show()
  }

  add(count: number): void {
    this.done += count
    if (Date.now() - this.shown >= (this.output.isTTY ? REDRAWN_EVERY : LINE_EVERY)) this.show()
  }

  end(): void {
    this.show()
    if (this.output.isTTY) this.output.write('\n')
  }

  private show(): void {
    this.shown = Date.now()
    // Erases the line from the cursor to its end: the text before may have been longer.
    this.output.write(this.output.isTTY ? `\r${this.bar()} ${this.text()}\u001b[K` : `${this.text()}\n`)
  }

  private bar(): string {
    const full = Math.round(WIDTH * this.share())
    return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}]`
  }

  private text(): string {
    const { format } = new Intl.NumberFormat('en-US')
    const percent = Math.floor(100 * this.share())
    const rate = (this.done - this.begun) / Math.max(1, Date.now() - this.started)
    const left = this.total - this.done
    const seconds = rate > 0 && left > 0 ? `, ${format(Math.ceil(left / rate / 1000))} s left` : ''
    return `${this.what}: ${percent} % (${format(this.done)} of ${format(this.total)}${seconds})`
  }

  /** What is written meanwhile adds to it. */
  private share(): number {
    return this.total === 0 ? 1 : Math.min(1, this.done / this.total)
  }
}
