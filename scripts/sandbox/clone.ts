/** `clone`: a clinic of one's own for a while, with its own token and dialled number. */
import type { Clone } from '../../dashboard/api/rehearsal-answers.ts'
import { noMore, textOf, UsageError } from './arguments.ts'
import type { Command, Given } from './command.ts'
import { isoDuration } from './durations.ts'
import { table } from './output.ts'

export const clone: Command = {
  what: 'Makes a clinic that expires, such as one for a job of continuous integration; its token is shown once.',
  usage: ['clone [--scenario NAME | --snapshot NAME] [--ttl SPAN] [--id ID] [--name NAME] [--env]', 'clone --end ID'],
  help: [
    '--scenario NAME   what it is filled with; absent: as the clinic is now',
    '--snapshot NAME   a snapshot of the clinic in place of a scenario',
    '--ttl SPAN        how long it is there: 30m, 1h, 1d; absent: 1h',
    '--id ID           its id; absent: the server chooses one',
    '--name NAME       what it is called',
    '--env             lines for a shell, which the next commands take from the environment',
    '--end ID          ends a clone at once',
  ],
  examples: ['clone --ttl 1h', 'clone --scenario busy-monday --ttl 30m --json', 'clone --end ci-4711'],
  options: {
    scenario: { type: 'string' },
    snapshot: { type: 'string' },
    ttl: { type: 'string', default: '1h' },
    id: { type: 'string' },
    name: { type: 'string' },
    env: { type: 'boolean' },
    end: { type: 'string' },
  },
  run: async (given) => {
    noMore(given.words)
    const ended = textOf(given.values, 'end')
    if (ended !== undefined) return end(given, ended)
    const made = await make(given)
    if (given.values.env === true) process.stdout.write(`${exportsOf(made).join('\n')}\n`)
    else given.out.result(made, table(Object.entries(made).map(([name, value]) => [name, String(value)])))
  },
}

function make({ server, values }: Given): Promise<Clone> {
  const [scenario, snapshot] = [textOf(values, 'scenario'), textOf(values, 'snapshot')]
  if (scenario !== undefined && snapshot !== undefined) throw new UsageError('A scenario or a snapshot, not both')
  const body = {
    from: { clinic: server.clinic, scenario, snapshot },
    id: textOf(values, 'id'),
    name: textOf(values, 'name'),
    ttl: isoDuration(textOf(values, 'ttl') ?? '1h'),
  }
  return server.ask<Clone>({ method: 'POST', path: 'clinics', body })
}

async function end({ server, out }: Given, id: string): Promise<void> {
  await server.ask({ method: 'DELETE', path: `clinics/${encodeURIComponent(id)}` })
  out.result({ ended: id }, [`Ended ${id}`])
}

/** The variables that the other commands read (server.ts), and the number to dial. */
function exportsOf({ id, token, username, password, base, dialedNumber }: Clone): readonly string[] {
  // Where tokens come from another issuer, a clone has a login only.
  const login = token === undefined ? { USER: username, PASSWORD: password } : { TOKEN: token }
  const variables = { URL: base, CLINIC: id, ...login, NUMBER: dialedNumber }
  return Object.entries(variables).map(([name, value]) => `export SANDBOX_${name}='${value.replaceAll("'", "'\\''")}'`)
}
