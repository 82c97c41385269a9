/** Exchanges that take longest to look through for secrets, and the journal read while it is written. */

import { type HostileCase, type HostileRequest, send, times } from '../hostile-case.ts'
import { HOSTILE_CLINIC } from '../hostile-clinic.ts'

const SECONDS = 5
const BODY = 64 * 1024

/** As much as the journal keeps of a body, with a secret at every place. */
const filled = (piece: string): string => piece.repeat(Math.ceil(BODY / piece.length)).slice(0, BODY)

const BODIES: readonly string[] = [
  `{"password":1,${filled('"a":[{')}`,
  filled('{"password":['),
  JSON.stringify({ password: Array.from({ length: 5_000 }, (_, n) => `secret-${n}`) }),
  JSON.stringify({ token: 1, text: filled('://a:b@') }),
]

const repeated = (requests: readonly HostileRequest[], parallel: number) =>
  ({ kind: 'requests', requests, parallel, seconds: SECONDS }) as const

export const journal: readonly HostileCase[] = [
  {
    name: 'journal-secrets',
    about: 'bodies of 64 KiB that are nothing but secrets and brackets, at 16 connections, with the journal on',
    stored: 'nothing',
    attack: () =>
      repeated(
        BODIES.map((body) => send('POST', '/Patient', body)),
        16,
      ),
  },
  {
    name: 'journal-lists',
    about: 'lists of the journal whose filter finds nothing, at 16 connections',
    stored: 'nothing',
    attack: () =>
      repeated([{ method: 'GET', path: `/clinics/${HOSTILE_CLINIC}/exchanges?run=there-is-none&count=200` }], 16),
  },
  {
    name: 'journal-counts',
    about:
      'reads that fill the journal, with counts of it by words that nothing has, and files of it, at 16 connections',
    stored: 'nothing',
    attack: () =>
      repeated(
        [
          ...times(30, (n) => ({ method: 'GET', path: `/Patient?family=read-${n}` })),
          ...['counts?text=there+is+none', 'export?format=har', 'export?format=csv'].map((question) => ({
            method: 'GET',
            path: `/clinics/${HOSTILE_CLINIC}/exchanges/${question}`,
          })),
        ],
        16,
      ),
  },
]
