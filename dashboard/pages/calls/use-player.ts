/** Plays a script on the telephone: at once, at natural speed or step by step; it can be stopped. */
import { useEffect, useRef, useState } from 'react'
import type { PlayedCall, Step } from '../../api/call-script.ts'
import { get } from '../../api/client.ts'
import { naturalPace, type Pace, playCall, type Requests, type Result } from '../../api/play-call.ts'
import { envelopeOf, type Line, resultsIn, sendOnCall, useTools } from '../../api/tools.ts'
import { DEFAULT_CALL } from '../../fhir/calls.ts'

export type Speed = 'at-once' | 'natural' | 'by-step'

interface Play {
  readonly script: PlayedCall
  readonly speed: Speed
  readonly goesOn: boolean
}

interface PlayState {
  readonly lines: readonly string[]
  /** The step that is played or waits to be, or how the play ended. */
  readonly progress: string
  readonly error: unknown
  readonly isPlaying: boolean
  /** Plays the step that waits for it. */
  readonly next: (() => void) | undefined
}

const IDLE: PlayState = { lines: [], progress: '', error: undefined, isPlaying: false, next: undefined }

export function usePlayer(line: Line, onCall: (call: string) => void) {
  const tools = useTools()
  const [state, setState] = useState(IDLE)
  const stop = useRef<AbortController>(undefined)
  const change = (changes: Partial<PlayState>) => setState((before) => ({ ...before, ...changes }))
  // A page that is left plays nothing more.
  useEffect(() => () => stop.current?.abort(), [])

  const play = async ({ script, speed, goesOn }: Play): Promise<void> => {
    const controller = new AbortController()
    const { signal } = controller
    stop.current = controller
    setState({ ...IDLE, isPlaying: true })
    const callId = `script-${crypto.randomUUID().slice(0, 8)}`
    onCall(script.isDefaultCall ? DEFAULT_CALL : callId)
    const paths = new Map(tools.data?.families.flatMap((family) => family.tools).map(({ name, path }) => [name, path]))
    const tell = (text: string) => setState((before) => ({ ...before, lines: [...before.lines, text] }))
    const byStep: Pace = () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => resolve(), { once: true })
      change({ next: resolve })
      return promise.finally(() => change({ next: undefined }))
    }
    const wait = { 'at-once': undefined, natural: naturalPace(signal), 'by-step': byStep }[speed]
    const pace = told(script, (progress) => change({ progress }), wait)
    try {
      const failures = await playCall(script, callId, requestsOn(line, script, paths), tell, { pace, goesOn, signal })
      const failed = failures === 0 ? '' : `; ${failures} of ${script.steps.length} steps failed`
      change({ progress: `Played to its end${failed}` })
    } catch (error) {
      change(signal.aborted ? { progress: 'Stopped' } : { progress: 'A step failed', error })
    }
    change({ isPlaying: false })
  }
  return { ...state, play, fail: (error: unknown) => setState({ ...IDLE, error }), stop: () => stop.current?.abort() }
}

/** The pace, with the step told before it is waited for. */
function told({ steps }: PlayedCall, tell: (progress: string) => void, pace: Pace | undefined): Pace {
  let count = 0
  return async (step, said) => {
    count += 1
    tell(`Step ${count} of ${steps.length}: ${nameOf(step)}`)
    await pace?.(step, said)
  }
}

const nameOf = (step: Step): string =>
  'tool' in step ? step.tool : 'search' in step ? `search of ${step.search}` : 'the end of a call'

/** The number that the telephone dials takes the place of that of the script, which may be of another clinic. */
function requestsOn(line: Line, { register }: PlayedCall, paths: ReadonlyMap<string, string>): Requests {
  // Registered numbers hold, and headers that say otherwise are refused.
  const spoken = register === undefined ? line : { ...line, dialled: '', caller: '' }
  const lineOf = (callId: string, path: string) => ({ ...(path === 'abandonments' ? line : spoken), callId })
  const dialled = line.dialled === '' ? {} : { dialedNumber: line.dialled }
  const post = async (callId: string, path: string, body: object) => {
    const sent = path === 'calls' ? { ...body, ...dialled } : body
    return (await sendOnCall(lineOf(callId, path), path, sent)).body as Result
  }
  return {
    post,
    callTool: async (callId, { tool, arguments: args }) => {
      const path = paths.get(tool)
      if (path === undefined) throw new Error(`The server has no tool ${tool}`)
      return resultsIn(await post(callId, path, envelopeOf([args])))[0] ?? {}
    },
    search: (query) => get<Result>(query),
  }
}
