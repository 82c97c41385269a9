/** The moment from which all processes know a change of a record that they keep in memory. */
import { setTimeout as sleep } from 'node:timers/promises'
import { RECENT } from '../repository/repository.ts'

/** Resolves when no request that begins, in whichever process, sees the state before a change that has been written. */
export const untilKnown = (): Promise<void> => sleep(RECENT)
