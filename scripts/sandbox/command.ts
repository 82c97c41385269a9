/** The shape of a command of `npm run sandbox`, and of what it was given. */
import type { ParseArgsOptionsConfig } from 'node:util'
import type { Values } from './arguments.ts'
import type { Output } from './output.ts'
import type { Server } from './server.ts'

/** A command asks the sandbox as a user, or it connects by itself, where it may be about another server. */
export type Command = Described &
  /** @throws UsageError, Problem or Unreachable */
  (
    | { readonly run: (given: Given) => Promise<void> }
    | { readonly runAlone: (given: Omit<Given, 'server'>) => Promise<void> }
  )

interface Described {
  /** One sentence, for the list of commands. */
  readonly what: string
  /** Each way to write it, behind `npm run sandbox -- `. */
  readonly usage: readonly string[]
  /** Its own options, one line each, as the help shows them. */
  readonly help?: readonly string[]
  readonly examples: readonly string[]
  /** Besides those that all commands have. */
  readonly options?: ParseArgsOptionsConfig
  /** Whether the words behind `--` are a program that it runs. */
  readonly runsProgram?: true
  /** The exit code where the server refuses; absent: 1. */
  readonly refused?: number
}

export interface Given {
  readonly server: Server
  readonly out: Output
  /** Behind the name of the command. */
  readonly words: readonly string[]
  /** The words behind `--`, of a command that runs a program. */
  readonly program: readonly string[]
  readonly values: Values
}
