/** `clock`: the time of the clinic, which may be ahead of the real one, or stand still. */

import { DateTime } from 'luxon'
import type { Clock } from '../../dashboard/api/rehearsal-answers.ts'
import { noMore, UsageError } from './arguments.ts'
import type { Command, Given } from './command.ts'
import { isoDuration } from './durations.ts'
import { table } from './output.ts'

export const clock: Command = {
  what: 'Shows the time of the clinic, or moves it forward; back again only by a reset.',
  usage: ['clock', 'clock +SPAN', 'clock TIME', 'clock dst', 'clock freeze | run'],
  help: [
    '+SPAN    forward by 90m, 1h, 1d, 2w',
    'TIME     forward to a time: 2027-03-13T09:00 in the zone of the clinic, or with an offset of its own',
    'dst      forward to the next night in which the clocks change',
    'freeze   it stands still; run: it goes on',
  ],
  examples: ['clock', 'clock +1d', 'clock 2027-03-13T09:00', 'clock dst', 'clock freeze'],
  run: async (given) => {
    const [word, ...more] = given.words
    noMore(more)
    const { server, out } = given
    if (word !== undefined) await move(given, word)
    const now = await server.ask<Clock>({ path: server.own('clock') })
    out.result(now, linesOf(now))
  },
}

async function move({ server }: Given, word: string): Promise<void> {
  const path = server.own('clock')
  const set = (body: object) => server.ask({ method: 'PUT', path, body })
  if (word === 'freeze' || word === 'run') await set({ runs: word === 'run' })
  else if (word === 'dst') await set({ at: nextChange(await server.ask<Clock>({ path })) })
  else if (/^(\+|P)/.test(word)) {
    await server.ask({ method: 'POST', path: `${path}/advance`, body: { by: isoDuration(word) } })
  } else await set({ at: instantOf(word, (await server.ask<Clock>({ path })).timeZone) })
}

function nextChange({ nextDaylightSaving, timeZone }: Clock): string {
  if (nextDaylightSaving === undefined) throw new UsageError(`The clocks of ${timeZone} do not change`)
  return nextDaylightSaving
}

function instantOf(text: string, zone: string): string {
  const time = DateTime.fromISO(text, { zone })
  if (!time.isValid) throw new UsageError(`'${text}' is no time: +1d, 2027-03-13T09:00, dst, freeze or run`)
  return time.toISO()
}

function linesOf({ at, runs, ahead, timeZone, nextDaylightSaving = 'never' }: Clock): readonly string[] {
  const local = DateTime.fromISO(at, { zone: timeZone })
  return table([
    ['clinic', `${local.toFormat('ccc d LLL yyyy, HH:mm:ss')} (${timeZone})${runs ? '' : ', it stands still'}`],
    ['ahead', ahead],
    ['clocks change', nextDaylightSaving],
  ])
}
