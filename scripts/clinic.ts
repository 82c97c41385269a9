/** `npm run clinic`: manages clinics and staff accounts in the store configured by the environment. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import {
  changePassword,
  createAccount,
  everyAccount,
  isRole,
  removeAccount,
  setDisabled,
} from '../src/clinics/accounts.ts'
import { createClinic } from '../src/clinics/clinics.ts'
import { findSettings, parseSettings } from '../src/clinics/settings.ts'
import { readConfig } from '../src/config.ts'
import { loadExtensions } from '../src/extensions/load.ts'
import { declareServer } from '../src/main/declare-server.ts'
import { openStore } from '../src/main/open-store.ts'
import { SERVICE } from '../src/repository/record-kinds.ts'
import { Repository } from '../src/repository/repository.ts'

const USAGE = `npm run clinic -- list
npm run clinic -- create ID --name NAME --time-zone ZONE --region CC [--number +1…]…
npm run clinic -- operator USERNAME [--person "FULL NAME"]
npm run clinic -- account CLINIC --username NAME --role staff|admin|operator [--person "FULL NAME"]
npm run clinic -- accounts [CLINIC]
npm run clinic -- password USERNAME
npm run clinic -- disable USERNAME
npm run clinic -- enable USERNAME
npm run clinic -- remove-account USERNAME

ZONE is an IANA time zone (America/New_York), CC a country (US), --number a dialled number in E.164.
The password is read from standard input, so it stays out of the shell's history.`

const OPTIONS = {
  name: { type: 'string' },
  'time-zone': { type: 'string' },
  region: { type: 'string' },
  number: { type: 'string', multiple: true },
  username: { type: 'string' },
  role: { type: 'string' },
  person: { type: 'string' },
} as const

interface Values {
  readonly name?: string | undefined
  readonly 'time-zone'?: string | undefined
  readonly region?: string | undefined
  readonly number?: readonly string[] | undefined
  readonly username?: string | undefined
  readonly role?: string | undefined
  readonly person?: string | undefined
}

interface Command {
  /** The argument that follows the name of the command. */
  readonly subject: 'required' | 'optional' | 'none'
  /** Returns the lines to print. */
  readonly run: (repository: Repository, subject: string, values: Values) => Promise<string>
}

const COMMANDS: Readonly<Record<string, Command>> = {
  list: {
    subject: 'none',
    run: async (repository) => {
      const lines: string[] = []
      for (const id of await repository.clinics()) {
        const settings = await findSettings(repository, id)
        if (settings !== undefined) lines.push(`${id}\t${settings.name}`)
      }
      return lines.length === 0 ? 'There is no clinic yet.' : lines.join('\n')
    },
  },

  create: {
    subject: 'required',
    run: async (repository, clinic, values) => {
      const parsed = parseSettings({
        name: values.name,
        timeZone: values['time-zone'],
        defaultRegion: values.region,
        dialedNumbers: values.number ?? [],
      })
      if ('problems' in parsed) throw new Error(parsed.problems.join('\n'))
      await createClinic(repository, clinic, parsed.settings)
      return `Clinic ${clinic} was created. Next: npm run clinic -- account ${clinic} --username NAME --role admin`
    },
  },

  operator: {
    subject: 'required',
    run: async (repository, username, { person: name = username }) => {
      const account = { username, name, clinic: SERVICE, role: 'operator' } as const
      await createAccount(repository, account, await readPassword())
      return `Account ${username} (operator) of the service was created.`
    },
  },

  account: {
    subject: 'required',
    run: async (repository, clinic, { username = '', role, person = username }) => {
      if (!isRole(role)) throw new Error('--role must be staff, admin or operator')
      if ((await findSettings(repository, clinic)) === undefined) throw new Error(`There is no clinic '${clinic}'`)
      await createAccount(repository, { username, name: person, clinic, role }, await readPassword())
      return `Account ${username} (${role}) of clinic ${clinic} was created.`
    },
  },

  accounts: {
    subject: 'optional',
    run: async (repository, wanted) => {
      const lines: string[] = []
      for await (const { username, name, clinic, role, disabled } of everyAccount(repository)) {
        if (wanted !== '' && clinic !== wanted) continue
        lines.push(
          [username, role, clinic === SERVICE ? '-' : clinic, disabled ? 'disabled' : 'enabled', name].join('\t'),
        )
      }
      return lines.length === 0 ? 'There is no such account.' : lines.join('\n')
    },
  },

  password: {
    subject: 'required',
    run: async (repository, username) => {
      await changePassword(repository, username, await readPassword())
      return `The password of ${username} was changed; all sessions of the account have ended.`
    },
  },

  disable: {
    subject: 'required',
    run: async (repository, username) => {
      await setDisabled(repository, username, true)
      return `Account ${username} was disabled; all of its sessions have ended.`
    },
  },

  enable: {
    subject: 'required',
    run: async (repository, username) => {
      await setDisabled(repository, username, false)
      return `Account ${username} was enabled.`
    },
  },

  'remove-account': {
    subject: 'required',
    run: async (repository, username) => {
      await removeAccount(repository, username)
      return `Account ${username} was removed; all of its sessions have ended.`
    },
  },
}

/** The first line of standard input, without echo on a terminal. */
async function readPassword(): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = process.stdin.isTTY === true
  if (terminal) process.stderr.write('Password: ')
  const lines = createInterface({ input: process.stdin, output: silent, terminal })
  try {
    for await (const line of lines) return line
    throw new Error('No password was given on standard input')
  } finally {
    lines.close()
    if (terminal) process.stderr.write('\n')
  }
}

function fits({ subject: wanted }: Command, subject: string): boolean {
  switch (wanted) {
    case 'required':
      return subject !== ''
    case 'optional':
      return true
    case 'none':
      return subject === ''
  }
}

async function run(): Promise<void> {
  const { positionals, values } = parseArgs({ options: OPTIONS, allowPositionals: true })
  const [name = '', subject = '', ...rest] = positionals
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined || rest.length > 0 || !fits(command, subject)) throw new Error(USAGE)
  const config = readConfig(process.env)
  const { fullText, secretsKeys } = config
  const baseUrl = config.baseUrl ?? `http://${config.host}:${config.port}`
  // The same extensions as the server's: otherwise the entries of their search parameters would be removed from the
  // store.
  const { providers } = declareServer(config, await loadExtensions(config.extensions))
  const store = await openStore(config.databaseUrl, providers, { baseUrl, fullText })
  try {
    console.log(await command.run(new Repository(store, { baseUrl, fullText, secretsKeys }), subject, values))
  } finally {
    await store.close()
  }
}

try {
  await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
