/** The diaries of the practitioners: nobody has two visits at one time. */
import type { Random } from './random.ts'

const VISIT = 30

/** Begin of the visits of a day, minutes after midnight: 8:30 to 12:00 and 13:00 to 17:30. */
const BEGINNINGS = [...beginnings(8.5 * 60, 12 * 60), ...beginnings(13 * 60, 17.5 * 60)]

function* beginnings(from: number, until: number): Generator<number> {
  for (let minute = from; minute + VISIT <= until; minute += VISIT) yield minute
}

export class Diary {
  readonly #taken = new Set<string>()

  /**
   * Takes a free half hour of a working day, or of the next one with any.
   * @returns the working day and the minute after midnight
   */
  take(practitioner: string, workday: number, random: Random): { readonly workday: number; readonly minute: number } {
    const first = random.integer([0, BEGINNINGS.length - 1])
    for (let day = workday; ; day++) {
      for (let tried = 0; tried < BEGINNINGS.length; tried++) {
        const minute = BEGINNINGS[(first + tried) % BEGINNINGS.length] as number
        const time = `${practitioner} ${day} ${minute}`
        if (this.#taken.has(time)) continue
        this.#taken.add(time)
        return { workday: day, minute }
      }
    }
  }
}
