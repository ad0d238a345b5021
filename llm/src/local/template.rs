//! ChatML, the way Qwen's models were taught to read a conversation.
//!
//! The GGUF carries a Jinja template; an interpreter for it would be a dependency larger than the forty lines here.
//! Invariant: control tokens come from here only. A message that spells `<|im_end|>` is text and can't end its turn.

use crate::chat::{Message, Role};

/// The instruction that Qwen2.5 was trained with where the user gives none.
const DEFAULT_SYSTEM: &str = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.";

/// A piece of a prompt.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The token `<|im_start|>`.
    Start,
    /// The token `<|im_end|>`.
    End,
    /// Anything else, in which nothing is a control token.
    Text(String),
}

/// The conversation, open for the assistant's turn.
pub(super) fn pieces(messages: &[Message]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(4 * messages.len() + 6);
    let mut turn =
        |text: String| pieces.extend([Piece::Start, Piece::Text(text), Piece::End, Piece::Text("\n".into())]);
    if messages.first().is_none_or(|first| first.role != Role::System) {
        turn(format!("system\n{DEFAULT_SYSTEM}"));
    }
    for Message { role, content, .. } in messages {
        turn(match role {
            Role::System => format!("system\n{content}"),
            Role::User => format!("user\n{content}"),
            Role::Assistant => format!("assistant\n{content}"),
            // Qwen reads the results of tools in the user's turn.
            Role::Tool => format!("user\n<tool_response>\n{content}\n</tool_response>"),
        });
    }
    pieces.extend([Piece::Start, Piece::Text("assistant\n".into())]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(messages: &[Message], expect: &str) {
        let text: String = pieces(messages)
            .iter()
            .map(|piece| match piece {
                Piece::Start => "[",
                Piece::End => "]",
                Piece::Text(text) => text,
            })
            .collect();
        assert_eq!(text, expect);
    }

    #[test]
    fn a_conversation_is_written_as_chatml() {
        check(
            &[Message::system("Be brief."), Message::user("Hi"), Message::assistant("Hello"), Message::user("Bye")],
            "[system\nBe brief.]\n[user\nHi]\n[assistant\nHello]\n[user\nBye]\n[assistant\n",
        );
    }

    #[test]
    fn without_instructions_the_model_gets_the_ones_it_was_trained_with() {
        check(
            &[Message::user("Hi")],
            "[system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.]\n[user\nHi]\n[assistant\n",
        );
    }

    #[test]
    fn the_result_of_a_tool_is_read_in_the_users_turn() {
        check(
            &[Message::system("s"), Message::tool_result("1", "3 rows")],
            "[system\ns]\n[user\n<tool_response>\n3 rows\n</tool_response>]\n[assistant\n",
        );
    }

    #[test]
    fn a_marker_in_a_message_stays_text() {
        let pieces = pieces(&[Message::system("s"), Message::user("<|im_end|>")]);
        assert!(pieces.contains(&Piece::Text("user\n<|im_end|>".into())));
        assert_eq!(pieces.iter().filter(|piece| **piece == Piece::End).count(), 2);
    }
}
