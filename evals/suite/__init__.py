"""What every suite shares: cases, runs, workspaces, requirements, outputs."""
