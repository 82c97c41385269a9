/** The clinic's time in whole minutes, so that what is made of it stays the same from one render to the next. */
import { clinicNow } from '../../api/clock.ts'

const MINUTE = 60_000

export const thisMinute = (): number => Math.floor(clinicNow() / MINUTE) * MINUTE
